// `kbench sources`: writes what a row of a stored run was compiled from.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Returns the exit status.
int sources_command(const SourcesOptions& options, const Installation& installation);

}  // namespace kbench
