#include "runner/cli/printing.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "reports/facts/json_text.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/store/chained_store.hpp"

namespace kbench {
namespace {

// The one that a command takes where --db is not given.
constexpr const char* kUsualDatabase = "kbench.sqlite";

}  // namespace

int with_runs(const std::filesystem::path& database, const CommonOptions& common,
              const Installation& installation,
              const std::function<Result<int>(const Store&)>& act) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, common.color);
  // Whoever named no database has no runs yet; a name that was typed is wrong.
  std::error_code ignored;
  if (database == kUsualDatabase && !std::filesystem::exists(database, ignored))
    return finish(
        ExitCode::kNothingSelected,
        fmt::format("there are no runs yet: `kbench run` makes {} in this folder; --db names "
                    "another database",
                    kUsualDatabase),
        common.verbosity);
  const auto store = open_with_key(database, Store::Mode::kReadOnly, installation.state);
  if (!store) return fail(store.error(), terminal);
  const auto runs = store->runs();
  if (!runs) return fail(runs.error(), terminal);
  if (runs->empty())
    return finish(ExitCode::kNothingSelected, fmt::format("{} has no runs yet", database.string()),
                  common.verbosity);
  const auto status = act(*store);
  return status ? *status : fail(status.error(), terminal);
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
