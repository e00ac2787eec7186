// Outputs of a graph that may lie in memory which is not theirs alone, by the list of operators.
#pragma once

#include <vector>

#include "runner/task/graph.hpp"

namespace kbench {

// For each output: whether it is an input or a parameter, what an operator made that gives views,
// or another output as well.
[[nodiscard]] std::vector<bool> outputs_that_may_share(const Graph& graph);

}  // namespace kbench
