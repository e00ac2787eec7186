#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/history_report.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/store/chain_key.hpp"
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

// "2 of 5 runs; left out: 1 of another device, 2 in which nobody submitted it".
std::string runs_words(const History& history) {
  const int left_out = history.left_out + history.other_device + history.not_submitted;
  const int stored = history.runs + left_out;
  if (left_out == 0) return fmt::format("{} run{}", stored, stored == 1 ? "" : "s");
  std::vector<std::string> why;
  if (history.left_out > 0) why.push_back(fmt::format("{} measured otherwise", history.left_out));
  if (history.other_device > 0)
    why.push_back(fmt::format("{} of another device", history.other_device));
  if (history.not_submitted > 0)
    why.push_back(fmt::format("{} without a submission for it", history.not_submitted));
  return fmt::format("{} of {} runs; left out: {}", history.runs, stored, fmt::join(why, ", "));
}

}  // namespace

CLI::App* add_history(CLI::App& app, HistoryOptions& options) {
  auto* history = app.add_subcommand("history", "Show a task over all stored runs of a device");
  history->footer(help_of("history"));
  history
      ->add_option("TASK", options.task,
                   "Id (level1/019_relu), or a name, number or glob that means one")
      ->required()
      ->type_name("");
  history->add_option("--agent", options.agent, "Only this agent (default: all)")
      ->type_name("NAME");
  add_database(*history, options.database);
  add_part_of_device(*history, options.device, "the newest run's");
  add_baseline(*history, options.over_compiled);
  add_json(*history, options.format);
  add_wide(*history, options.common);
  add_common(*history, options.common, false);
  return history;
}

int call(const HistoryOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
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
  return finish(ExitCode::kGood, fmt::format("{} over {}", *task, runs_words(*history)),
                options.common.verbosity);
}

}  // namespace kbench
