#include "runner/gate/answer_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace kbench {
namespace {

struct CodeBlock {
  std::string info;  // what stands behind the opening fence
  std::string text;
};

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::string_view info;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<Fence> fence_in(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > 3 || indent == line.size()) return std::nullopt;
  Fence fence;
  fence.mark = line[indent];
  if (fence.mark != '`' && fence.mark != '~') return std::nullopt;
  const std::size_t end = std::min(line.find_first_not_of(fence.mark, indent), line.size());
  fence.length = end - indent;
  fence.info = trimmed(line.substr(end));
  // ```inline``` is no fence.
  if (fence.length < 3 || fence.info.find('`') != std::string_view::npos) return std::nullopt;
  return fence;
}

std::vector<CodeBlock> blocks_in(std::string_view answer) {
  std::vector<CodeBlock> blocks;
  std::optional<Fence> open;
  CodeBlock block;
  while (!answer.empty()) {
    const std::size_t end = std::min(answer.find('\n'), answer.size());
    const std::string_view line = answer.substr(0, end);
    answer.remove_prefix(std::min(end + 1, answer.size()));
    const auto fence = fence_in(line);
    if (!open && fence) {
      open = fence;
      block = {std::string(fence->info), ""};
    } else if (open && fence && fence->mark == open->mark && fence->length >= open->length &&
               fence->info.empty()) {
      blocks.push_back(std::move(block));
      open.reset();
    } else if (open) {
      block.text.append(line).append("\n");
    }
  }
  return blocks;
}

bool ends_like_a_file(std::string_view word) {
  constexpr std::array<std::string_view, 7> kEndings{".cu", ".cuh", ".cpp", ".hpp",
                                                     ".h",  ".py",  ".json"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return word.size() > ending.size() && word.ends_with(ending);
  });
}

// "cuda relu.cu", "cuda:relu.cu" or "relu.cu".
std::string file_named_by(std::string_view info) {
  while (!info.empty()) {
    const std::size_t end = std::min(info.find_first_of(" \t:"), info.size());
    const std::string_view word = info.substr(0, end);
    if (ends_like_a_file(word)) return std::string(word);
    info.remove_prefix(std::min(end + 1, info.size()));
  }
  return "";
}

std::string usual_name(std::string_view info, std::string_view text, std::string_view device) {
  const std::string_view language =
      info.substr(0, std::min(info.find_first_of(" \t"), info.size()));
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kNames{
      {{"cuda", "kernel.cu"},
       {"cu", "kernel.cu"},
       {"cpp", "kernel.cpp"},
       {"c++", "kernel.cpp"},
       {"cc", "kernel.cpp"},
       {"c", "kernel.cpp"},
       {"python", "kernel.py"},
       {"py", "kernel.py"},
       {"triton", "kernel.py"}}};
  for (const auto& [known, name] : kNames) {
    if (language != known) continue;
    // A kernel for a GPU is C++ to whoever does not look closely.
    const bool is_kernel = text.find("__global__") != std::string_view::npos;
    return std::string(name) == "kernel.cpp" && is_kernel && device == "cuda" ? "kernel.cu" : name;
  }
  if (text.find("class ModelNew") != std::string_view::npos) return "kernel.py";
  return device == "cuda" ? "kernel.cu" : "kernel.cpp";
}

}  // namespace

std::map<std::string, std::string> files_in_answer(std::string_view answer,
                                                   std::string_view device) {
  std::map<std::string, std::string> files;
  std::vector<CodeBlock> blocks = blocks_in(answer);
  for (CodeBlock& block : blocks)
    if (std::string name = file_named_by(block.info); !name.empty())
      files[std::move(name)] = std::move(block.text);
  if (!files.empty() || blocks.empty()) return files;
  CodeBlock& last = blocks.back();
  std::string name = usual_name(last.info, last.text, device);
  files[std::move(name)] = std::move(last.text);
  return files;
}

std::map<std::string, std::string> files_of_code(std::string_view code, std::string_view device) {
  auto files = files_in_answer(code, device);
  if (files.empty() && !trimmed(code).empty())
    files[usual_name("", code, device)] = std::string(code);
  return files;
}

}  // namespace kbench
