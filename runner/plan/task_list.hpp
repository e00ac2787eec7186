// Patterns of tasks out of a file, a line each; # begins a remark.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// "-": standard input. Errors: kUsage for a file that names no task, is too long or holds what no
// pattern of tasks can be; those of reading it.
[[nodiscard]] Result<std::vector<std::string>> read_task_list(const std::filesystem::path& file);

}  // namespace kbench
