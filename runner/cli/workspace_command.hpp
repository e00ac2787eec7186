// `kbench workspace open|compile|verify|submit`: a folder in which an agent works, and the requests
// that it makes of the judge. Each request copies kernels/ once, judges the copy, and prints one
// line of JSON (workspace/tool_result.hpp). Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int workspace_command(const WorkspaceRequest& request, const Installation& installation);

}  // namespace kbench
