// The options of `kbench agent run`.
#pragma once

#include "runner/cli/command_options.hpp"

namespace kbench {

// Returns `run`, which is below `agent`.
CLI::App* add_agent(CLI::App& app, AgentRunOptions& options);

}  // namespace kbench
