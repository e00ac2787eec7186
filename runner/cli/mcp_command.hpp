// `kbench mcp`: the tools of an agent, by the Model Context Protocol on standard input and output.
// The queue, the judge and the protocol are those of `kbench serve`; there is no network and no
// token, because whoever starts it may do all of this anyway. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int mcp_command(const McpOptions& options, const Installation& installation);

}  // namespace kbench
