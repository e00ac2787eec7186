#include "runner/plan/task_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/task/suite.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {

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
                 "`kbench tasks list` shows all of them"};
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

}  // namespace kbench
