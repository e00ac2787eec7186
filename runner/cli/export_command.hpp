// `kbench export sft|rft|ppo`: stored episodes as lines of JSON for whoever trains on them, and how
// many were left out for which reason. Returns the exit status.
#pragma once

#include "runner/cli/installation.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

int export_command(const ExportOptions& options, const Installation& installation);

}  // namespace kbench
