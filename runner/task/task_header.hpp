// The text of task.h: what a submission for one task and one size includes. Three structs with a
// typed pointer for each tensor, the shapes as constants beside them, and the prototypes to
// implement. Part of a submission's cache key, so the same task and size always give the same text.
#pragma once

#include <string>

#include "runner/task/task.hpp"

namespace kbench {

// For every tensor `x`, namespace kb has
//   x_rank       number of dimensions,
//   x_dims[]     its extents, outermost first ({1} for a scalar),
//   x_0, x_1, …  the same extents one by one,
//   x_elements   their product.
[[nodiscard]] std::string task_header(const Task& task, const TaskSize& size);

}  // namespace kbench
