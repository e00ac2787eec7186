// `kbench run`.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Returns the exit status.
int run_command(const RunOptions& options, const Installation& installation);

}  // namespace kbench
