// Facts of a value in a graph that hold for all inputs: between which numbers its elements lie,
// which of its dimensions have one place only, whether it is triangular. By that, an operator that
// leaves its operand as it is can be told from one that does work.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>

#include "runner/core/json.hpp"
#include "runner/task/graph.hpp"

namespace kbench {

struct ValueFacts {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::set<std::int64_t> single;  // dimensions of extent 1; others may have it too
  bool upper = false;             // zero below the diagonal of the last two dimensions
  bool lower = false;             // zero above it
};

// Facts of an input or parameter as the task file declares it.
[[nodiscard]] ValueFacts facts_of(const Json& tensor);

// Facts of a node's first result, from the facts of its operands in their order.
[[nodiscard]] ValueFacts facts_after(const GraphNode& node, std::span<const ValueFacts> operands);

// Whether the first result always equals the first operand: a ReLU of what is never negative, a
// clamp wider than the values, a factor of one, a sum over one element, the upper triangle of an
// upper triangle. A bound that keeps a norm from being exactly zero counts as well: it only matters
// for a vector of zeros. False where not known.
[[nodiscard]] bool is_identity(const GraphNode& node, const ValueFacts& operand);

}  // namespace kbench
