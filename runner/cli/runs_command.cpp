#include <vector>

#include <fmt/format.h>

#include "reports/formats/run_list.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

Result<int> list(const Store& store, const RunsOptions& options) {
  auto runs = list_runs(store);
  if (!runs) return runs.error();
  const std::size_t stored = runs->size();
  if (options.device) {
    std::erase_if(
        *runs, [&](const ListedRun& run) { return !device_matches(run.facts, *options.device); });
  }
  if (runs->empty()) {
    return finish(
        ExitCode::kNothingSelected,
        fmt::format("none of the {} runs is of the device \"{}\"", stored, *options.device),
        options.common.verbosity);
  }
  if (options.format == OutputFormat::kJson)
    print_json(runs_json(*runs));
  else
    fmt::print("{}", render_runs(*runs, output_style(options.common)));
  return finish(ExitCode::kGood,
                fmt::format("{} run{} in {}", runs->size(), runs->size() == 1 ? "" : "s",
                            options.database.string()),
                options.common.verbosity);
}

}  // namespace

CLI::App* add_runs(CLI::App& app, RunsOptions& options) {
  auto* runs = app.add_subcommand("runs", "List the stored runs");
  runs->footer(help_of("runs"));
  add_database(*runs, options.database);
  add_part_of_device(*runs, options.device, "all");
  add_json(*runs, options.format);
  add_wide(*runs, options.common);
  add_common(*runs, options.common, false);
  return runs;
}

int call(const RunsOptions& options, const Installation& installation) {
  return with_runs(options.database, options.common, installation,
                   [&](const Store& store) { return list(store, options); });
}

}  // namespace kbench
