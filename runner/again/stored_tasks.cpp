#include "runner/again/stored_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/task/suite.hpp"

namespace kbench {
namespace {

constexpr std::size_t kNamed = 10;

// Ids that no suite can have are left aside.
template <class Ids>
std::vector<TaskEntry> entries_of(const Ids& ids) {
  std::vector<TaskEntry> entries;
  for (const std::string& id : ids)
    if (auto entry = entry_of_id(id)) entries.push_back(std::move(*entry));
  return entries;
}

}  // namespace

Result<std::string> find_stored_task(const Store& store, const std::string& pattern) {
  const auto ids = store.task_ids();
  if (!ids) return ids.error();
  if (std::find(ids->begin(), ids->end(), pattern) != ids->end()) return pattern;
  const auto selected = select_tasks(entries_of(*ids), {}, {pattern});
  if (!selected) return selected.error();
  if (selected->empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("no stored task matches \"{}\"", pattern),
                 "`kbench report table` shows which tasks the newest run has"};
  }
  if (selected->size() == 1) return selected->front().id;
  std::vector<std::string> names;
  for (const TaskEntry& entry : *selected)
    if (names.size() < kNamed) names.push_back(entry.id);
  if (selected->size() > kNamed) names.push_back("…");
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" matches {} tasks, expected one", pattern, selected->size()),
               fmt::format("choose one of {}", fmt::join(names, ", "))};
}

Result<std::set<std::string>> stored_tasks_meant(const std::vector<Evaluation>& rows,
                                                 const std::vector<std::string>& patterns) {
  std::set<std::string> ids;
  for (const Evaluation& row : rows) ids.insert(row.task);
  if (patterns.empty()) return ids;
  const auto selected = select_tasks(entries_of(ids), {}, patterns);
  if (!selected) return selected.error();
  std::set<std::string> meant;
  for (const TaskEntry& entry : *selected) meant.insert(entry.id);
  return meant;
}

}  // namespace kbench
