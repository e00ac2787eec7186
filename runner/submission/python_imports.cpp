#include "runner/submission/python_imports.hpp"

#include <string_view>

namespace kbench {
namespace {

constexpr std::string_view kBlanks = " \t\r";

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

void take_module(std::string_view module, PythonNeeds& needs) {
  needs.triton |= is_in(module, "triton");
  needs.compiler |= is_in(module, "torch.utils.cpp_extension");
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// torch.compile, and not torch.compiler.
bool names_torch_compile(std::string_view line) {
  constexpr std::string_view kName = "torch.compile";
  for (auto at = line.find(kName); at != std::string_view::npos; at = line.find(kName, at + 1)) {
    const auto end = at + kName.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end])))
      return true;
  }
  return false;
}

void read_line(std::string_view line, PythonNeeds& needs) {
  needs.torch_compile |= names_torch_compile(line);
  const std::string_view statement = take_word(line);
  if (statement == "from") {
    const std::string_view module = take_word(line);
    take_module(module, needs);
    needs.compiler |=
        module == "torch.utils" && line.find("cpp_extension") != std::string_view::npos;
    needs.torch_compile |= module == "torch" && line.find("compile") != std::string_view::npos;
  }
  if (statement != "import") return;
  while (!line.empty()) {
    take_module(take_word(line), needs);
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
}

void read_text(std::string_view text, PythonNeeds& needs) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    read_line(text.substr(0, end), needs);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

PythonNeeds needs_of(const std::vector<SourceFile>& files) {
  PythonNeeds needs;
  for (const SourceFile& file : files)
    if (file.name.ends_with(".py")) read_text(file.bytes, needs);
  return needs;
}

}  // namespace kbench
