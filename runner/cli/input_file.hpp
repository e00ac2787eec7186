// The tasks that `kbench run --input-file` names.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The options, with the tasks of their file behind those that were typed. Errors: kUsage for a file
// that names no task, is too long or holds what no pattern of tasks can be; those of reading it.
[[nodiscard]] Result<RunOptions> with_input_file(const RunOptions& options);

}  // namespace kbench
