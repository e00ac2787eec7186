// Whether algebra can leave out most multiplications of a graph: what only sums, picks from or
// multiplies further the product of a matrix multiplication or a convolution may do so before it.
// The mean of a convolution is one of channel sums. Pure.
#pragma once

#include <string_view>

#include "runner/task/graph.hpp"

namespace kbench {

// Whether in some path a product reaches, through linear operators alone, one that sums or averages
// it, takes a part of it, or multiplies it again. Operators that are not known count as not linear.
[[nodiscard]] bool has_avoidable_products(const Graph& graph);

// True where the result of an operator, "aten::mean", only sums or averages what it reads: a
// product before it may be summed up before it is multiplied. Parts of a tensor are none.
[[nodiscard]] bool only_sums(std::string_view op);
// True for an operator that is linear in what it reads, and multiplies nothing.
[[nodiscard]] bool is_linear(std::string_view op);

}  // namespace kbench
