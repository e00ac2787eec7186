#include <fmt/format.h>

#include "reports/over_time/history_report.hpp"
#include "runner/again/stored_tasks.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

Result<End> show(const Store& store, const HistoryOptions& options) {
  const auto task = find_stored_task(store, options.task);
  if (!task) return task.error();
  const auto data = load_history(store, *task);
  if (!data) return data.error();
  const auto history = make_history(
      *data, {.device = options.device, .agent = options.agent, .baseline = options.baseline});
  if (!history) return history.error();
  print_found(options, *history, history_json, render_history);
  return good(fmt::format("{} over {}", *task, history_words(*history)));
}

}  // namespace

CLI::App* add_history(CLI::App& app, HistoryOptions& options) {
  auto& history = add_verb(app, "history", "Show a task over all stored runs of a device");
  add_value(history, "TASK", options.task, "",
            "Id (level1/019_relu), or a name, number or glob that means one")
      ->required();
  add_value(history, "--agent", options.agent, "NAME", "Only this agent (default: all)");
  add_database(history, options.database);
  add_part_of_device(history, options.device, "the newest run's");
  add_baseline(history, options.baseline);
  add_json(history, options.format);
  add_wide(history, options.common);
  add_common(history, options.common, false);
  return &history;
}

Result<End> call(const HistoryOptions& options, const Installation& installation) {
  return with_runs(options.database, installation,
                   [&](const Store& store) { return show(store, options); });
}

}  // namespace kbench
