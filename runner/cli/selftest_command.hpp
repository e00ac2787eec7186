// `kbench selftest sandbox`: tries to escape from the sandbox of this machine, and prints for each
// escape whether it is blocked, open or not applicable, and why.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Exit status 0 when nothing is open, else 3: the machine, or kbench, lacks something.
int selftest_sandbox_command(const SelftestRequest& options, const Installation& installation);

}  // namespace kbench
