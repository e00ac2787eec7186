// The parts of a prompt that depend on the language: native_text for C++ and CUDA, python_text for
// Python and Triton.
#pragma once

#include <string>
#include <string_view>

#include "runner/prompt/task_prompt.hpp"

namespace kbench {

struct LanguageText {
  std::string name;       // "CUDA C++"
  std::string file_name;  // "019_relu.cu"
  std::string interface;  // these are whole sections, with their headings
  std::string rules;
  std::string timing;    // one item about the clock
  std::string cheating;  // items, may be empty
  std::string skeleton;
};

[[nodiscard]] LanguageText native_text(const PromptParts& parts);
[[nodiscard]] LanguageText python_text(const PromptParts& parts);

constexpr std::size_t kMaxPromptText = 1u << 20;

[[nodiscard]] bool is_for_cuda(const PromptParts& parts);

// "019_relu.cu"
[[nodiscard]] std::string answer_name(const PromptParts& parts, std::string_view ending);

// A fence of more backticks than the text has in a row.
[[nodiscard]] std::string code_block(std::string_view language, const std::string& text);

// "float32 [8, 16]"
[[nodiscard]] std::string tensor_text(const TensorSpec& tensor);

}  // namespace kbench
