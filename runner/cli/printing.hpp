// Parts shared by the commands that print what is stored: opening a database that has runs, and the
// style of output.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "reports/formats/text_table.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/print/progress.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// Opens a database that has runs to read it, with the key of its chains, and returns what `act`
// does; kNotFound without runs.
[[nodiscard]] Result<End> with_runs(const std::filesystem::path& database,
                                    const Installation& installation,
                                    const std::function<Result<End>(const Store&)>& act);

// A line on standard error, unless quiet; and a warning, which is always said. Text of others is
// cleaned before.
void say(const CommonOptions& common, std::string_view text);
void warn(const CommonOptions& common, std::string_view text);

// The verbosity of runs within a command that tells of them in lines of its own: a run says
// something only where the command is verbose.
[[nodiscard]] int within_command(int verbosity);

// Progress on standard error, and the abilities of standard output.
[[nodiscard]] Progress progress_of(const CommonOptions& common);
[[nodiscard]] Terminal standard_output(const CommonOptions& common);

// Style of tables on standard output: as wide as the terminal; unlimited with --wide or without a
// terminal.
[[nodiscard]] TableStyle output_style(const CommonOptions& common);

// Style of the reports of a run. A file gets colour only where --color asks for it.
[[nodiscard]] OutputStyle report_style(const CommonOptions& common);

// A report on standard output.
void print_json(const Json& report);

// Prints what was found, in the format that the options ask for.
template <class Options, class Found, class AsJson, class AsText>
void print_found(const Options& options, const Found& found, AsJson as_json, AsText as_text) {
  if (options.format == OutputFormat::kJson)
    print_json(as_json(found));
  else
    fmt::print("{}", as_text(found, output_style(options.common)));
}

// "1 run", "2 runs".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

}  // namespace kbench
