// Whether algebra can leave out most multiplications of a graph: what only sums, picks from or
// multiplies further the product of a matrix multiplication or a convolution may do so before it.
// The mean of a convolution is one of channel sums. Pure.
#pragma once

#include "runner/task/graph.hpp"

namespace kbench {

// Whether in some path a product reaches, through linear operators alone, one that sums or averages
// it, takes a part of it, or multiplies it again. Operators that are not known count as not linear.
[[nodiscard]] bool has_avoidable_products(const Graph& graph);

}  // namespace kbench
