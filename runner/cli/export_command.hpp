// `kbench export sft|rft|ppo`: stored episodes as lines of JSON for whoever trains on them, and how
// many were left out for which reason. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int export_command(const ExportOptions& options, const Installation& installation);

}  // namespace kbench
