#include <fmt/format.h>

#include "reports/facts/model.hpp"
#include "reports/formats/explain.hpp"
#include "runner/again/stored_tasks.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

Result<End> explain(const Store& store, const ExplainOptions& options) {
  auto data = load_report(store, options.run);
  if (!data) return data.error();
  data->trust = options.common.trust;
  const auto tasks = stored_tasks_meant(data->evaluations, options.tasks);
  if (!tasks) return tasks.error();
  if (const auto known = check_stored_agent(data->run, data->evaluations, options.agent); !known)
    return known.error();
  const auto rows = explain_rows(*data, [&](const ResultRow& row) {
    return tasks->contains(row.task) && (!options.agent || row.agent == *options.agent);
  });
  if (rows.empty())
    return Error{ErrorCode::kNotFound, "no row of the run is selected",
                 "--task and --agent choose among its rows; `kbench report` lists them"};
  if (options.format == OutputFormat::kJson)
    print_json(explanation_json(*data, rows));
  else
    fmt::print("{}", explanation_text(*data, rows));
  return good(
      fmt::format("explained {} of run {}", counted(rows.size(), "row"), short_id(data->run)));
}

}  // namespace

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  auto& explain = add_verb(app, "explain", "Say in sentences what a run's rows mean");
  add_value(explain, "RUN", options.run, "",
            "Start of an id, a tag, latest or latest~N (default: latest)");
  add_task_globs(explain, options.tasks);
  add_value(explain, "--agent", options.agent, "NAME", "Only this agent's rows");
  add_json(explain, options.format);
  add_trust(explain, options.common.trust);
  add_database(explain, options.database,
               "SQLite database that holds the run (default: kbench.sqlite)");
  add_common(explain, options.common, false);
  return &explain;
}

Result<End> call(const ExplainOptions& options, const Installation& installation) {
  return with_runs(options.database, installation,
                   [&](const Store& store) { return explain(store, options); });
}

}  // namespace kbench
