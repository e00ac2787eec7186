// `kbench compare`: two stored runs beside each other. Opens the database read-only, and measures
// nothing. Returns the exit status: kRegression where --fail-on found something.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int compare_command(const CompareOptions& options, const Installation& installation);

}  // namespace kbench
