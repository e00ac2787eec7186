#include "runner/again/stored_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
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

// Names at most kNamed of them.
std::string named(const std::vector<TaskEntry>& entries) {
  std::vector<std::string> names;
  for (const TaskEntry& entry : entries)
    if (names.size() < kNamed) names.push_back(entry.id);
  if (entries.size() > kNamed) names.push_back("…");
  return fmt::format("{}", fmt::join(names, ", "));
}

// The task may well exist: it is these rows that are of others.
Error not_of_rows(const Error& unknown, const std::string& pattern,
                  const std::vector<TaskEntry>& entries) {
  if (entries.empty()) return {ErrorCode::kNotFound, "the run has no rows", ""};
  return {ErrorCode::kNotFound, fmt::format("no row is of a task \"{}\"", pattern),
          unknown.hint.starts_with("did you mean") ? unknown.hint
                                                   : "there are rows of " + named(entries)};
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
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" matches {} tasks, expected one", pattern, selected->size()),
               "choose one of " + named(*selected)};
}

Result<std::set<std::string>> stored_tasks_meant(const std::vector<Evaluation>& rows,
                                                 const std::vector<std::string>& patterns) {
  std::set<std::string> ids;
  for (const Evaluation& row : rows) ids.insert(row.task);
  if (patterns.empty()) return ids;
  const auto entries = entries_of(ids);
  std::set<std::string> meant;
  for (const std::string& pattern : patterns) {
    const auto selected = select_tasks(entries, {}, {pattern});
    if (!selected && selected.error().code == ErrorCode::kNotFound)
      return not_of_rows(selected.error(), pattern, entries);
    if (!selected) return selected.error();
    for (const TaskEntry& entry : *selected) meant.insert(entry.id);
  }
  return meant;
}

Status check_stored_agent(const Run& run, const std::vector<Evaluation>& rows,
                          const std::optional<std::string>& agent) {
  if (!agent) return Done{};
  std::vector<std::string> known;
  for (const Evaluation& row : rows)
    if (row.submission) known.push_back(row.submission->agent);
  if (std::find(known.begin(), known.end(), *agent) != known.end()) return Done{};
  const auto guess = nearest(*agent, known);
  return Error{ErrorCode::kNotFound,
               fmt::format("run {} has no agent \"{}\"", short_id(run), clean_name(*agent, 64)),
               guess ? fmt::format("did you mean \"{}\"?", clean_name(*guess, 64))
                     : std::string("leave --agent out: then all rows are explained")};
}

}  // namespace kbench
