// The options of `kbench runs` and `kbench tag`, which list and name stored runs, and of `kbench
// sources` and `kbench reproduce`, which take one row of one.
#pragma once

#include "reports/write/outputs.hpp"
#include "runner/cli/command_options.hpp"

namespace kbench {

CLI::App* add_runs(CLI::App& app, RunsOptions& options);
CLI::App* add_tag(CLI::App& app, TagOptions& options);
CLI::App* add_sources(CLI::App& app, SourcesOptions& options);
CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options, OutputWords& words);

}  // namespace kbench
