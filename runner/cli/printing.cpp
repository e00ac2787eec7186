#include "runner/cli/printing.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "reports/facts/json_text.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// The one that a command takes where --db is not given.
constexpr const char* kUsualDatabase = "kbench.sqlite";

}  // namespace

Result<End> with_runs(const std::filesystem::path& database, const Installation& installation,
                      const std::function<Result<End>(const Store&)>& act) {
  // Without --db there may be no database yet, hence no runs; a name that was typed and does not
  // exist is wrong.
  std::error_code ignored;
  if (database == kUsualDatabase && !std::filesystem::exists(database, ignored))
    return Error{ErrorCode::kNotFound, "there are no runs yet",
                 fmt::format("`kbench run` makes {} in this folder; --db names another database",
                             kUsualDatabase)};
  const auto store = open_with_key(database, Store::Mode::kReadOnly, installation.state);
  if (!store) return store.error();
  const auto runs = store->runs();
  if (!runs) return runs.error();
  if (runs->empty())
    return Error{ErrorCode::kNotFound, fmt::format("{} has no runs yet", database.string()),
                 "`kbench run --db FILE` adds one"};
  return act(*store);
}

void say(const CommonOptions& common, std::string_view text) {
  if (common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
}

void warn(const CommonOptions& common, std::string_view text) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, common.color);
  fmt::print(stderr, "{} {}\n", terminal.paint(Color::kYellow, "warning:"), text);
}

int within_command(int verbosity) { return verbosity == 0 ? -1 : verbosity; }

Progress progress_of(const CommonOptions& common) { return {common.color, common.verbosity}; }

Terminal standard_output(const CommonOptions& common) {
  return inspect_terminal(STDOUT_FILENO, common.color);
}

TableStyle output_style(const CommonOptions& common) {
  const Terminal terminal = standard_output(common);
  const bool fits = terminal.is_tty && !common.wide;
  return {.colour = terminal.color, .columns = fits ? terminal.columns : 0};
}

OutputStyle report_style(const CommonOptions& common) {
  return {.standard_output = output_style(common),
          .coloured_files = common.color == ColorMode::kAlways,
          .program = version_text(build_info())};
}

void print_json(const Json& report) { fmt::print("{}\n", json_text(report, 2)); }

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace kbench
