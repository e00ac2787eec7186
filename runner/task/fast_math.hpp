// How much of a graph a GPU's fast mathematics makes less exact: functions for which hardware has
// an approximation with a documented error (CUDA C++ Programming Guide, "Intrinsic functions":
// __expf 2 + 1.17 |x| units in the last place, __logf 3 units or 2^-21.4, __sinf 2^-21.4). Division
// and square root, 2 units at most, are not among them. Pure.
#pragma once

#include "runner/task/graph.hpp"

namespace kbench {

// The sum over all nodes: one for each exponential, logarithm, sine or power that the operator is
// made of. A softplus is a logarithm of an exponential, and counts twice. Whole and half powers are
// products and roots, and tanh is left out: its approximation is off by 5e-6 (H100), and is no
// float32.
[[nodiscard]] int transcendental_functions(const Graph& graph);
[[nodiscard]] int transcendental_functions(const GraphNode& node);

// The functions that the sum leaves out: 1 for an operator that is made of a tanh or an error
// function.
[[nodiscard]] int hyperbolic_tangents(const GraphNode& node);

}  // namespace kbench
