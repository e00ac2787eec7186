// Parts of make_vendor_plan (plan.hpp): one reader for each kind of call. Not for others to
// include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "baselines/vendor/plan.hpp"
#include "runner/task/operator_work.hpp"

namespace kbench::vendor {

// Thrown within make_vendor_plan only: why there is no plan.
struct NoPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A graph with the shapes of all of its values.
class ShapedGraph {
 public:
  // Throws NoPlan where an operator's shapes are not known.
  explicit ShapedGraph(const Graph& graph, const TaskSize& size);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] OperatorCall call(const GraphNode& node) const { return {node, values_}; }
  [[nodiscard]] const Extents& shape(std::size_t value) const { return values_.at(value).shape; }
  // The value of an argument; empty where it is something else.
  [[nodiscard]] std::optional<std::size_t> value(const GraphNode& node, std::size_t arg) const;
  // A Python number of an argument, wherever the schema has it.
  [[nodiscard]] std::optional<double> number(const GraphNode& node, std::size_t arg) const;
  // The input or parameter that a value is; empty where an operator made it.
  [[nodiscard]] std::optional<VendorOperand> given(std::size_t value) const;

 private:
  const Graph& graph_;
  std::vector<WorkTensor> values_;
};

[[nodiscard]] std::int64_t product_of(Extents::const_iterator begin, Extents::const_iterator end);

// Whether a name is that of an operator which shows a matrix the other way round.
[[nodiscard]] bool is_transposition(const std::string& name);

// The call of `graph().nodes[product]`, all nodes behind it being its epilogue. Both throw NoPlan,
// and Uncounted where an argument is not what its schema says. A linear layer is either of them.
[[nodiscard]] VendorProduct read_product(const ShapedGraph& graph, std::size_t product);
[[nodiscard]] VendorConvolution read_convolution(const ShapedGraph& graph, std::size_t product);
// The call of a graph that multiplies nothing. Throws likewise.
[[nodiscard]] VendorOperator read_operator(const ShapedGraph& graph);

}  // namespace kbench::vendor
