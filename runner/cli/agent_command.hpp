// `kbench agent run`: lets a model behind an endpoint solve tasks, and keeps what it said and did.
// Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int agent_run_command(const AgentRunOptions& options, const Installation& installation);

}  // namespace kbench
