#include "runner/cli/runs_command.hpp"

#include <unistd.h>

#include <vector>

#include <fmt/format.h>

#include "reports/run_list.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"

namespace kbench {

int runs_command(const RunsOptions& options) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  auto runs = list_runs(*store);
  if (!runs) return fail(runs.error(), terminal);
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

}  // namespace kbench
