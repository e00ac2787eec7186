// The options of `kbench serve` and `kbench mcp`.
#pragma once

#include "runner/cli/command_options.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

CLI::App* add_serve(CLI::App& app, ServeOptions& options);
CLI::App* add_mcp(CLI::App& app, McpOptions& options);

}  // namespace kbench
