#include "runner/plan/task_list.hpp"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxBytes = 1u << 20;
constexpr std::size_t kMaxTasks = 10'000;

std::string shown(const std::filesystem::path& file) {
  return file == "-" ? "standard input" : clean_name(file.string(), 300);
}

Error unusable(const std::filesystem::path& file, const std::string& what) {
  return {ErrorCode::kUsage, fmt::format("{}: {}", shown(file), what),
          "--input-file takes a line for each task, such as level1/019_relu or level2/*"};
}

Result<std::string> text_of(const std::filesystem::path& file) {
  if (file != "-") return read_bounded_file(file, kMaxBytes);
  std::string text(kMaxBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > kMaxBytes) return unusable(file, "it is longer than 1 MiB");
  return text;
}

// Without its remark and the blanks around it.
std::string_view pattern_in(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

bool can_be_pattern(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Result<std::vector<std::string>> read_task_list(const std::filesystem::path& file) {
  const auto text = text_of(file);
  if (!text) return text.error();
  std::vector<std::string> tasks;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view pattern = pattern_in(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pattern.empty()) continue;
    if (!can_be_pattern(pattern))
      return unusable(file, fmt::format("line {} names no task", number));
    tasks.emplace_back(pattern);
  }
  if (tasks.empty()) return unusable(file, "it names no task");
  if (tasks.size() > kMaxTasks) return unusable(file, "it has more than 10,000 lines");
  return tasks;
}

}  // namespace kbench
