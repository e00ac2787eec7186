#include "runner/cli/printing.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "reports/json_text.hpp"
#include "runner/cli/outcome.hpp"

namespace kbench {

std::optional<int> complain_without_runs(const Store& store, const std::filesystem::path& database,
                                         const CommonOptions& common) {
  const auto runs = store.runs();
  if (!runs) return fail(runs.error(), inspect_terminal(STDERR_FILENO, common.color));
  if (!runs->empty()) return std::nullopt;
  return finish(ExitCode::kNothingSelected, fmt::format("{} has no runs yet", database.string()),
                common.verbosity);
}

TableStyle output_style(const CommonOptions& common) {
  const Terminal terminal = inspect_terminal(STDOUT_FILENO, common.color);
  const bool fits = terminal.is_tty && !common.wide;
  return {.colour = terminal.color, .columns = fits ? terminal.columns : 0};
}

OutputStyle report_style(const CommonOptions& common) {
  return {.standard_output = output_style(common),
          .coloured_files = common.color == ColorMode::kAlways};
}

void print_json(const Json& report) { fmt::print("{}\n", json_text(report, 2)); }

}  // namespace kbench
