// The options of the commands that measure: `kbench run` and `kbench nightly`.
#pragma once

#include "runner/cli/command_options.hpp"

namespace kbench {

CLI::App* add_run(CLI::App& app, RunOptions& options, OutputWords& words);
CLI::App* add_nightly(CLI::App& app, NightlyOptions& options, OutputWords& words);

}  // namespace kbench
