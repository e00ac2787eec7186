// `kbench runs`: lists the runs of a database. Opens it read-only. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"

namespace kbench {

int runs_command(const RunsOptions& options);

}  // namespace kbench
