#include "runner/submission/python_imports.hpp"

#include <string_view>

namespace kbench {
namespace {

constexpr std::string_view kBlanks = " \t\r";

constexpr const char* kGpuOnly =
    "it uses Triton, whose kernels run on GPUs only; Python submissions are played on the CPU";
constexpr const char* kNoCompiler =
    "it compiles an extension (torch.utils.cpp_extension), and there is no compiler beside a "
    "Python "
    "submission yet; hand the C++ in as a .cpp";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes the first word off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r,;#("));
  text.remove_prefix(word.size());
  return word;
}

bool is_in(std::string_view module, std::string_view package) {
  return module == package ||
         (module.starts_with(package) && module.substr(package.size()).starts_with('.'));
}

const char* judge(std::string_view module) {
  if (is_in(module, "triton")) return kGpuOnly;
  return is_in(module, "torch.utils.cpp_extension") ? kNoCompiler : nullptr;
}

// Of one line; null where it imports nothing of that.
const char* judge_line(std::string_view line) {
  const std::string_view statement = take_word(line);
  if (statement == "from") {
    const std::string_view module = take_word(line);
    const bool names_it = line.find("cpp_extension") != std::string_view::npos;
    return module == "torch.utils" && names_it ? kNoCompiler : judge(module);
  }
  if (statement != "import") return nullptr;
  while (!line.empty()) {
    if (const char* why = judge(take_word(line))) return why;
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  return nullptr;
}

const char* judge_text(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (const char* why = judge_line(text.substr(0, end))) return why;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return nullptr;
}

}  // namespace

std::string not_offered_to(const std::vector<SourceFile>& files) {
  for (const SourceFile& file : files) {
    if (!file.name.ends_with(".py")) continue;
    if (const char* why = judge_text(file.bytes)) return why;
  }
  return "";
}

}  // namespace kbench
