// `kbench run`: plan, build, evaluate, store, print. Returns the exit status.
#pragma once

#include "runner/cli/installation.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

int run_command(const RunOptions& options, const Installation& installation);

}  // namespace kbench
