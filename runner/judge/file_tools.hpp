// The tools of an agent on the files of its workspace: read, write, edit, glob, grep.
#pragma once

#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/workspace/workspace_files.hpp"

namespace kbench {

// Nothing where the tool is none of these. The arguments were held against serve/tools.hpp. Errors:
// those of WorkspaceFiles.
[[nodiscard]] std::optional<Result<Json>> use_file_tool(const WorkspaceFiles& files,
                                                        const std::string& tool,
                                                        const Json& arguments);

}  // namespace kbench
