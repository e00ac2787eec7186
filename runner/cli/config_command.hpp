// `kbench config`: the options of a command, their values, and who says so.
#pragma once

#include "runner/cli/options.hpp"

namespace kbench {

// Prints them; returns the exit status.
int config_command(const ConfigOptions& options);

}  // namespace kbench
