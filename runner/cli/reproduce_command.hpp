// `kbench reproduce`: evaluates one row of a stored run again, from its stored sources and with the
// options of its run, and says whether it is the same evaluation.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Returns the exit status of the run.
int reproduce_command(const ReproduceOptions& options, const Installation& installation);

}  // namespace kbench
