#include "runner/cli/history_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/history_report.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/stored_runs.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

constexpr std::size_t kNamed = 10;

// The one stored task that the pattern means; the suite need not have it any more.
Result<std::string> find_stored_task(const Store& store, const std::string& pattern) {
  const auto ids = store.task_ids();
  if (!ids) return ids.error();
  if (std::find(ids->begin(), ids->end(), pattern) != ids->end()) return pattern;
  std::vector<TaskEntry> entries;
  for (const std::string& id : *ids)
    if (auto entry = entry_of_id(id)) entries.push_back(std::move(*entry));
  const auto selected = select_tasks(entries, {}, {pattern});
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

}  // namespace

int history_command(const HistoryOptions& options) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  const auto task = find_stored_task(*store, options.task);
  if (!task) return fail(task.error(), terminal);
  const auto data = load_history(*store, *task);
  if (!data) return fail(data.error(), terminal);
  const auto history =
      make_history(*data, {.device = options.device,
                           .agent = options.agent,
                           .baseline = options.over_compiled ? Side::kCompiled : Side::kEager});
  if (!history) {
    const Error& error = history.error();
    return finish(
        ExitCode::kNothingSelected,
        error.hint.empty() ? error.message : fmt::format("{}; {}", error.message, error.hint),
        options.common.verbosity);
  }
  if (options.format == OutputFormat::kJson)
    print_json(history_json(*history));
  else
    fmt::print("{}", render_history(*history, output_style(options.common)));
  std::size_t points = 0;
  for (const AgentHistory& agent : history->agents) points = std::max(points, agent.points.size());
  return finish(ExitCode::kGood,
                fmt::format("{} over {} run{}", *task, points, points == 1 ? "" : "s"),
                options.common.verbosity);
}

}  // namespace kbench
