#include "runner/plan/task_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task_tags.hpp"
#include "runner/task/working_type.hpp"

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
  if (file != "-") {
    auto text = read_bounded_file(file, kMaxBytes);
    // A task that is not there is nothing selected; a file that is not there is a mistyped option.
    if (!text && text.error().code == ErrorCode::kNotFound)
      return unusable(file, "there is no such file");
    return text;
  }
  std::string text(kMaxBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > kMaxBytes) return unusable(file, "it is longer than 1 MiB");
  return text;
}

// The pattern in a line, without its remark and the blanks around it.
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

// A pattern that no task can have, with blanks in it or other letters, may still be near to a name.
Status check_line(std::string_view pattern, const std::vector<TaskEntry>& entries) {
  constexpr std::size_t kShown = 100;
  const bool possible = can_be_pattern(pattern);
  const std::string shown = clean_name(pattern, kShown);
  const auto found = select_tasks(entries, {}, {possible ? std::string(pattern) : shown});
  if (possible) return found ? Status(Done{}) : found.error();
  return Error{
      ErrorCode::kUsage, fmt::format("no task is called \"{}\"", shown),
      found ? "a line is a task, such as level1/019_relu or level2/*" : found.error().hint};
}

Error in_line(const std::filesystem::path& file, int number, Error error) {
  error.message = fmt::format("{}:{}: {}", shown(file), number, error.message);
  return error;
}

// "the level 2 (100 tasks)", "the families scan, matmul (9 tasks)", for each kind of choice that
// was made, with the tasks that it has alone. Options have several names, and a file may have
// chosen.
std::vector<std::string> choices_alone(const std::vector<TaskEntry>& entries,
                                       const RunRequest& request) {
  constexpr std::size_t kShown = 120;
  std::vector<std::string> choices;
  const auto add = [&](std::string_view one, std::string_view several, const auto& values,
                       const Result<std::vector<TaskEntry>>& alone) {
    if (values.empty()) return;
    const std::size_t count = alone ? alone->size() : 0;
    choices.push_back(fmt::format("the {} {} ({} task{})", values.size() == 1 ? one : several,
                                  clean_name(fmt::format("{}", fmt::join(values, ", ")), kShown),
                                  count, count == 1 ? "" : "s"));
  };
  add("level", "levels", request.levels, select_entries(entries, request.levels, {}, {}));
  add("task", "tasks", request.tasks, select_entries(entries, {}, request.tasks, {}));
  add("family", "families", request.tags, select_entries(entries, {}, {}, request.tags));
  return choices;
}

}  // namespace

Result<std::vector<TaskEntry>> tasks_of_suite(const std::optional<std::filesystem::path>& suite,
                                              const Installation& installation) {
  const std::filesystem::path folder = suite.value_or(installation.suites);
  auto entries = list_tasks(folder);
  if (!entries || !entries->empty()) return entries;
  return Error{ErrorCode::kBadInput, fmt::format("{}: no task lies in it", folder.string()),
               "--suite takes a folder with levelN/NNN_name.json, as `kbench import` makes it"};
}

Result<Task> find_task(const std::optional<std::filesystem::path>& suite,
                       const std::vector<int>& levels, const std::string& pattern,
                       const Installation& installation, std::string_view precision) {
  const auto entries = tasks_of_suite(suite, installation);
  if (!entries) return entries.error();
  const auto selected = select_tasks(*entries, levels, {pattern});
  if (!selected) return selected.error();
  if (selected->empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("no task matches \"{}\"", pattern),
                 kAllTasksAreListed};
  }
  if (selected->size() > 1) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> ids;
    for (const auto& entry : *selected)
      if (ids.size() < kShown) ids.push_back(entry.id);
    const std::size_t more = selected->size() - ids.size();
    return Error{
        ErrorCode::kUsage,
        fmt::format("\"{}\" matches {} tasks, expected one", pattern, selected->size()),
        fmt::format("choose one of {}{}", fmt::join(ids, ", "),
                    more > 0 ? fmt::format(" and {} more: `kbench tasks list`", more) : "")};
  }
  return load_task_in(working_type(precision), selected->front().file);
}

bool names_source(std::string_view name) {
  return name.ends_with(".cpp") || name.ends_with(".cu") || name.ends_with(".py");
}

Result<std::vector<std::string>> read_task_list(const std::filesystem::path& file,
                                                const std::vector<TaskEntry>& entries) {
  const auto text = text_of(file);
  if (!text) return text.error();
  std::vector<std::string> tasks;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view pattern = pattern_in(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pattern.empty()) continue;
    if (auto fine = check_line(pattern, entries); !fine) return in_line(file, number, fine.error());
    tasks.emplace_back(pattern);
  }
  if (tasks.empty()) return unusable(file, "it names no task");
  if (tasks.size() > kMaxTasks) return unusable(file, "it has more than 10,000 lines");
  return tasks;
}

Status add_task_list(const std::optional<std::filesystem::path>& file,
                     const std::optional<std::filesystem::path>& suite,
                     const Installation& installation, std::vector<std::string>& patterns) {
  if (!file) return Done{};
  const auto entries = tasks_of_suite(suite, installation);
  if (!entries) return entries.error();
  const auto listed = read_task_list(*file, *entries);
  if (!listed) return listed.error();
  patterns.insert(patterns.end(), listed->begin(), listed->end());
  return Done{};
}

Result<std::vector<TaskEntry>> select_entries(const std::vector<TaskEntry>& entries,
                                              const std::vector<int>& levels,
                                              const std::vector<std::string>& patterns,
                                              const std::vector<std::string>& tags) {
  auto selected = select_tasks(entries, levels, patterns);
  return selected ? with_tags(std::move(*selected), tags) : selected;
}

Error why_no_task(const std::vector<TaskEntry>& entries, const RunRequest& request) {
  std::set<int> known;
  for (const TaskEntry& entry : entries) known.insert(entry.level);
  for (const int level : request.levels)
    if (!known.contains(level))
      return {ErrorCode::kNotFound, fmt::format("no task matches: there is no level {}", level),
              fmt::format("this suite has {}", fmt::join(known, ", "))};
  for (const std::string& pattern : request.tasks) {
    const auto found = select_tasks(entries, {}, {pattern});
    if (!found || !found->empty()) continue;
    const auto guess = nearest_task(pattern, entries);
    return {ErrorCode::kNotFound, fmt::format("no task matches \"{}\"", pattern),
            guess ? fmt::format("did you mean \"{}\"?", *guess) : std::string(kAllTasksAreListed)};
  }
  const std::vector<std::string> choices = choices_alone(entries, request);
  if (choices.size() < 2) return {ErrorCode::kNotFound, "no task matches", kAllTasksAreListed};
  return {ErrorCode::kNotFound, fmt::format("no task matches all of {}", fmt::join(choices, ", ")),
          "leave one of them out: a task must be in each"};
}

Result<std::vector<Task>> load_selected(const std::vector<TaskEntry>& entries,
                                        const RunRequest& request) {
  const auto selected = select_entries(entries, request.levels, request.tasks, request.tags);
  if (!selected) return selected.error();
  std::vector<Task> tasks;
  for (const TaskEntry& entry : *selected) {
    auto task = load_task_in(working_type(request.precision), entry.file);
    if (!task) return task.error();
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

Result<std::vector<Task>> choose_tasks(const RunRequest& request,
                                       const Installation& installation) {
  auto entries = tasks_of_suite(request.suite, installation);
  if (!entries) return entries.error();
  return load_selected(*entries, request);
}

}  // namespace kbench
