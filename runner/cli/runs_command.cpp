#include <fmt/format.h>

#include "reports/formats/run_list.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

Result<End> list(const Store& store, const RunsOptions& options) {
  auto runs = list_runs(store);
  if (!runs) return runs.error();
  const std::size_t stored = runs->size();
  if (options.device) {
    std::erase_if(
        *runs, [&](const ListedRun& run) { return !device_matches(run.facts, *options.device); });
  }
  if (runs->empty()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("none of the {} runs is of the device \"{}\"", stored, *options.device),
        "`kbench runs` without --device lists the device of each"};
  }
  print_found(options, *runs, runs_json, [&](const auto& found, const auto& style) {
    return render_runs(found, style, options.columns);
  });
  return good(counted(runs->size(), "run") + " in " + options.database.string());
}

}  // namespace

CLI::App* add_runs(CLI::App& app, RunsOptions& options) {
  auto& runs = add_verb(app, "runs", "List the stored runs");
  add_database(runs, options.database);
  add_part_of_device(runs, options.device, "all");
  add_json(runs, options.format);
  add_columns(runs, options.columns, run_columns());
  add_wide(runs, options.common);
  add_common(runs, options.common, false);
  return &runs;
}

Result<End> call(const RunsOptions& options, const Installation& installation) {
  return with_runs(options.database, installation,
                   [&](const Store& store) { return list(store, options); });
}

}  // namespace kbench
