// `kbench import`: foreign task files become a suite.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Returns the exit status.
int import_command(const ImportOptions& options, const Installation& installation);

}  // namespace kbench
