// A task's computation, as the list of its operators: read from the lowered graph, never from names
// in its source, in a form in which a copy agrees with what it was copied from, however it is
// written and whatever its shapes are. Pure.
//
// Left out is what only moves data or makes constants: views, casts, zeros. Spellings of the same
// are one operator (a product is "matmul" whatever it is called, clamp_min and hardtanh are
// "clamp"). What stands kUnrolled times or more in a row, as a loop over steps leaves it, stands
// once: how often is a matter of shapes.
#pragma once

#include <string>
#include <vector>

#include "runner/task/graph.hpp"

namespace kbench {

using OperatorSequence = std::vector<std::string>;  // "linear", "relu", ...

constexpr int kUnrolled = 8;

[[nodiscard]] OperatorSequence operator_sequence(const Graph& graph);

// The sequence of operators by their names in the graph ("aten::linear").
[[nodiscard]] OperatorSequence operator_sequence(const std::vector<std::string>& operators);

}  // namespace kbench
