// The options of `kbench sources` and `kbench reproduce`, which take one row of a stored run.
// Called by command_line.
#pragma once

#include "runner/cli/command_options.hpp"
#include "runner/cli/outputs.hpp"

namespace kbench {

CLI::App* add_sources(CLI::App& app, SourcesOptions& options);
CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options, OutputWords& words);

}  // namespace kbench
