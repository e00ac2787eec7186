// Hash of the parts of a task that a compiled baseline depends on: the graph of one size with the
// shapes and dtypes of its tensors. How values are drawn and what the task says about itself are
// left out, so that a mended input distribution does not cost a build.
#pragma once

#include <string>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// SHA-256, hexadecimal. Errors: those of read_strict_json; kBadInput when the task has no such
// size.
[[nodiscard]] Result<std::string> graph_hash(const Task& task, std::string_view size);

}  // namespace kbench
