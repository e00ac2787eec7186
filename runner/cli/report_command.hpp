// `kbench report`: shows a stored run. Opens the database read-only, and measures
// nothing. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int report_command(const ReportOptions& options, const Installation& installation);

}  // namespace kbench
