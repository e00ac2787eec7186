// The work of one operator, by one function for each class of operators: shapes of its results,
// elements that it has to read, operations. What a graph does not say, the shapes of values between
// its operators, comes out of the same functions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/task/graph.hpp"

namespace kbench {

// Thrown inside count_work only: why an operator has no count.
struct Uncounted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Extents = std::vector<std::int64_t>;

struct WorkTensor {
  Extents shape;
  int bytes = 4;      // an element
  bool dense = true;  // it lies in memory without gaps

  [[nodiscard]] double elements() const;
  [[nodiscard]] double total_bytes() const { return elements() * bytes; }
};

// A node with the shapes of what it reads. Arguments by their place in the operator's schema; all
// throw Uncounted where there is something else.
class OperatorCall {
 public:
  OperatorCall(const GraphNode& node, const std::vector<WorkTensor>& values)
      : node_(&node), values_(&values) {}

  [[nodiscard]] const GraphNode& node() const { return *node_; }
  // The operator's name without "aten::" and, if it works in place, without the underscore.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::size_t results() const { return node_->outs.size(); }

  [[nodiscard]] bool is_given(std::size_t arg) const;  // there, and not None
  [[nodiscard]] bool is_tensor(std::size_t arg) const;
  [[nodiscard]] const WorkTensor& tensor(std::size_t arg) const;
  [[nodiscard]] std::vector<WorkTensor> tensors(std::size_t arg) const;
  [[nodiscard]] std::int64_t integer(std::size_t arg) const;
  [[nodiscard]] bool flag(std::size_t arg) const;
  [[nodiscard]] const std::string& text(std::size_t arg) const;
  [[nodiscard]] Extents integers(std::size_t arg) const;
  // Integers by dimension: one stands for all, none for `otherwise`.
  [[nodiscard]] Extents by_dimension(std::size_t arg, std::size_t dims,
                                     std::int64_t otherwise) const;
  // A dimension of `rank` of them, counted from the end where it is negative.
  [[nodiscard]] std::size_t dimension(std::size_t arg, std::size_t rank) const;

  // Every tensor among the arguments and in their lists, in order: their values.
  [[nodiscard]] std::vector<std::size_t> read_values() const;

 private:
  [[nodiscard]] const GraphArg& arg(std::size_t index) const;

  const GraphNode* node_;
  const std::vector<WorkTensor>* values_;
};

struct OperatorWork {
  std::vector<WorkTensor> results;
  // Elements that must be read where all results are needed, for each of
  // OperatorCall::read_values(). Shorter: all of the rest.
  std::vector<double> reads;
  bool moves = true;  // no: a view, which reads and writes nothing by itself
  // A part of the first result needs all that was read, as does all of another one: each step
  // of a recurrent layer follows from the ones before.
  bool whole = false;
  bool parts = false;  // each result is a part of the first tensor, and no two overlap
  double products = 0;
  double needed_products = 0;
  double winograd_products = 0;
  bool tf32_by_default = false;  // see Work::least_tf32_products
};

// Errors: throws Uncounted, naming the operator or what is wrong with it.
[[nodiscard]] OperatorWork work_of(const OperatorCall& call);

// The classes: nothing where an operator is of another one.
using CountOperator = OperatorWork (*)(const OperatorCall&);
[[nodiscard]] CountOperator find_product(const std::string& name);    // product_work.cpp
[[nodiscard]] CountOperator find_view(const std::string& name);       // view_work.cpp
[[nodiscard]] CountOperator find_element(const std::string& name);    // element_work.cpp
[[nodiscard]] CountOperator find_window(const std::string& name);     // window_work.cpp
[[nodiscard]] CountOperator find_reduction(const std::string& name);  // element_work.cpp

// A window that slides along one dimension.
struct Window {
  std::int64_t extent = 1;  // extent of the dimension it slides along
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  // padding on either side
  std::int64_t dilation = 1;
  bool ceil = false;  // a last place that begins inside of the extent counts too

  [[nodiscard]] std::int64_t places() const;
  // Elements of the extent that lie below the window in some place.
  [[nodiscard]] double touched() const;
};

// Extents by NumPy's rules of broadcasting. Throws Uncounted where shapes do not fit.
[[nodiscard]] Extents broadcast(const Extents& one, const Extents& other);
[[nodiscard]] double elements_of(const Extents& shape);

}  // namespace kbench
