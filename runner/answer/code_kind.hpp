// The kind of a piece of a model's answer, by the words on its fence and by its text. The names by
// which kbench calls a submission are kbench_forward and ModelNew; a piece that defines one of them
// is the kernel.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

enum class Language {
  kUnknown,  // no word on the fence, or an unknown one
  kCpp,
  kCuda,
  kPython,
  kMarkdown,  // text whose inner blocks count
  kDiff,      // parts of a kernel at most
  kOther,     // shell, text, JSON, output, mathematics: no kernel's
};

// The words behind the opening fence.
struct FenceWords {
  Language language = Language::kUnknown;
  std::string file;  // "relu.cu" or "tiles/tile.hpp"; empty: none is named
  std::string code;  // code that begins on the fence's line
};
[[nodiscard]] FenceWords read_fence_words(std::string_view words);

// "python" alone on the line below a fence.
[[nodiscard]] bool is_language_word(std::string_view line);

// The file that a line names and does nothing else, as "**relu.cu**" or "// file: relu.cu".
[[nodiscard]] std::string file_named_alone(std::string_view line);

// Anything but comments, dots and empty lines.
[[nodiscard]] bool has_code(std::string_view text);
[[nodiscard]] bool defines_native(std::string_view text);  // kbench_forward
[[nodiscard]] bool defines_python(std::string_view text);  // ModelNew
// A kernel, or a module under another name.
[[nodiscard]] bool is_like_a_kernel(std::string_view text);
[[nodiscard]] bool has_cuda_syntax(std::string_view text);
[[nodiscard]] bool has_main(std::string_view text);
// Neither cut off nor with parts left out ("...").
[[nodiscard]] bool is_whole(std::string_view text, bool is_python);

// Code that stands in a text without a fence, from its first line to its last; empty where there
// is none.
[[nodiscard]] std::string code_without_fence(std::string_view text);

}  // namespace kbench
