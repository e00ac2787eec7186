// Parts shared by the commands that print what is stored: a database without runs, and the style of
// output.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/text_table.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/json.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// Exit status of a database without any run, after saying so; empty where there is one.
[[nodiscard]] std::optional<int> complain_without_runs(const Store& store,
                                                       const std::filesystem::path& database,
                                                       const CommonOptions& common);

// Style of tables on standard output: as wide as the terminal; unlimited with --wide or without a
// terminal.
[[nodiscard]] TableStyle output_style(const CommonOptions& common);

// Style of the reports of a run. A file gets colour only where --color asks for it.
[[nodiscard]] OutputStyle report_style(const CommonOptions& common);

// A report on standard output.
void print_json(const Json& report);

}  // namespace kbench
