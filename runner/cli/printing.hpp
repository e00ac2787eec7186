// Parts shared by the commands that print what is stored: opening a database that has runs, and the
// style of output.
#pragma once

#include <filesystem>
#include <functional>

#include "reports/formats/text_table.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// Opens a database that has runs to read it, with the key of its chains, and returns what `act`
// does; without runs, or where something fails, says so and returns that exit status.
[[nodiscard]] int with_runs(const std::filesystem::path& database, const CommonOptions& common,
                            const Installation& installation,
                            const std::function<Result<int>(const Store&)>& act);

// Style of tables on standard output: as wide as the terminal; unlimited with --wide or without a
// terminal.
[[nodiscard]] TableStyle output_style(const CommonOptions& common);

// Style of the reports of a run. A file gets colour only where --color asks for it.
[[nodiscard]] OutputStyle report_style(const CommonOptions& common);

// A report on standard output.
void print_json(const Json& report);

}  // namespace kbench
