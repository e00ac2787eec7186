#include "runner/task/work.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runner/task/avoidable.hpp"
#include "runner/task/fast_math.hpp"
#include "runner/task/operator_work.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

// Share of a product with triangular matrices on both sides: N^3 / 3 of 2 N^3.
constexpr double kTriangularShare = 1.0 / 6;

bool is_triangular(const TensorSpec& spec) {
  const Draw& draw = spec.draw;
  return draw.kind == Draw::Kind::kTril || draw.kind == Draw::Kind::kTriu ||
         draw.keep != Draw::Keep::kAll;
}

// The bytes of which a call depends: nothing of what every call gets alike.
double drawn_bytes(const TensorSpec& spec, double needed = 1) {
  if (spec.draw.kind == Draw::Kind::kConstant || spec.draw.kind == Draw::Kind::kData) return 0;
  return static_cast<double>(spec.bytes()) * (is_triangular(spec) ? std::min(needed, 0.5) : needed);
}

double output_bytes(const TaskSize& size) {
  double bytes = 0;
  for (const TensorSpec& output : size.outputs) bytes += static_cast<double>(output.bytes());
  return bytes;
}

// Forward for shapes and operations, backward for what is needed of each value.
class Count {
 public:
  Count(const Graph& graph, const TaskSize& size) : graph_(graph), size_(size) {
    values_.resize(graph.value_names.size());
    needed_.assign(values_.size(), 0);
    made_.assign(values_.size(), false);
    for (std::size_t i = 0; i < graph.inputs + graph.parameters; ++i)
      values_[i] = {given(i).shape, static_cast<int>(size_of(given(i).dtype))};
  }

  Work run() {
    for (const GraphNode& node : graph_.nodes) forward(node);
    for (const GraphValue& output : graph_.outputs) {
      needed_[output.index] = 1;
      made_[output.index] = true;
    }
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) backward(i);
    for (std::size_t i = 0; i < graph_.inputs + graph_.parameters; ++i) {
      const double bytes = drawn_bytes(given(i), needed_[i]);
      work_.read_bytes += bytes;
      if (i >= graph_.inputs) work_.parameter_bytes += bytes;
    }
    return work_;
  }

 private:
  [[nodiscard]] const TensorSpec& given(std::size_t value) const {
    return value < graph_.inputs ? size_.inputs.at(value)
                                 : size_.parameters.at(value - graph_.inputs);
  }

  void forward(const GraphNode& node) {
    const OperatorCall call(node, values_);
    OperatorWork counted = work_of(call);
    work_.products += counted.products;
    double largest = 0;
    double moved = 0;
    const auto read = call.read_values();
    counted.reads.resize(read.size(), -1);
    for (std::size_t i = 0; i < read.size(); ++i) {
      const WorkTensor& tensor = values_[read[i]];
      if (counted.reads[i] < 0) counted.reads[i] = tensor.elements();
      moved += counted.reads[i] * tensor.bytes;
      largest = std::max(largest, tensor.elements());
    }
    for (std::size_t i = 0; i < node.outs.size(); ++i) {
      const WorkTensor& result = counted.results[i];
      moved += result.total_bytes();
      largest = std::max(largest, result.elements());
      if (node.outs[i] != GraphNode::kUnread) values_[node.outs[i]] = result;
    }
    if (counted.moves) work_.unfused_bytes += moved;
    work_.transcendental += largest * (transcendental_functions(node) + hyperbolic_tangents(node));
    counted_.push_back(std::move(counted));
  }

  // The largest share of a result that is needed; of parts, their sum.
  [[nodiscard]] double share_of(const GraphNode& node, const OperatorWork& counted) const {
    double share = 0;
    double parts = 0;
    for (std::size_t i = 0; i < node.outs.size(); ++i) {
      if (node.outs[i] == GraphNode::kUnread) continue;
      const double needed = needed_[node.outs[i]];
      share = std::max(share, needed);
      parts += needed * counted.results[i].elements();
    }
    if (counted.parts) return parts;
    const bool first =
        !node.outs.empty() && node.outs[0] != GraphNode::kUnread && needed_[node.outs[0]] > 0;
    return counted.whole && first ? 1 : share;
  }

  void backward(std::size_t index) {
    const GraphNode& node = graph_.nodes[index];
    const OperatorWork& counted = counted_[index];
    const double share = share_of(node, counted);
    const auto read = OperatorCall(node, values_).read_values();
    for (std::size_t i = 0; i < read.size(); ++i) {
      const double elements = std::max(values_[read[i]].elements(), 1.0);
      const double needed = counted.parts && i == 0 ? share : share * counted.reads[i];
      needed_[read[i]] = std::min(1.0, std::max(needed_[read[i]], needed / elements));
    }
    work_.needed_products += share * counted.needed_products;
    note_made(node, counted, share, read);
  }

  // A value is made where something else than a sum of it is asked for; what is only summed may be
  // summed before it is multiplied.
  void note_made(const GraphNode& node, const OperatorWork& counted, double share,
                 const std::vector<std::size_t>& read) {
    const bool made = std::any_of(node.outs.begin(), node.outs.end(), [&](std::size_t out) {
      return out != GraphNode::kUnread && made_[out];
    });
    if (made) {
      const double direct = share * counted.needed_products;
      const double least = direct - share * 0.75 * counted.winograd_products;
      work_.direct_products += direct;
      work_.least_products += least;
      if (counted.tf32_by_default) {
        work_.direct_tf32_products += direct;
        work_.least_tf32_products += least;
      }
    }
    if (only_sums(node.op)) return;
    const bool passes = made || (!is_linear(node.op) && share > 0);
    for (const std::size_t value : read) made_[value] = made_[value] || passes;
  }

  const Graph& graph_;
  const TaskSize& size_;
  std::vector<WorkTensor> values_;
  std::vector<double> needed_;  // share of each value
  std::vector<bool> made_;      // each value, as it stands in the graph
  std::vector<OperatorWork> counted_;
  Work work_;
};

// The work of a graph that is not counted: its tensors, and the figures of its file.
Work by_tensors(const TaskSize& size, double written_products) {
  Work work;
  work.products = work.needed_products = written_products;
  work.least_products = work.direct_products = written_products;
  const bool picks = std::any_of(size.inputs.begin(), size.inputs.end(),
                                 [](const TensorSpec& spec) { return !is_floating(spec.dtype); });
  if (picks) return work;
  for (const TensorSpec& spec : size.inputs) work.read_bytes += drawn_bytes(spec);
  for (const TensorSpec& spec : size.parameters) work.parameter_bytes += drawn_bytes(spec);
  work.read_bytes += work.parameter_bytes;
  return work;
}

}  // namespace

Work count_work(const Graph& graph, const TaskSize& size, double written_products) {
  Work work;
  try {
    if (graph.inputs != size.inputs.size() || graph.parameters != size.parameters.size())
      throw Uncounted("its graph has other tensors");
    work = Count(graph, size).run();
  } catch (const Uncounted& problem) {
    work = by_tensors(size, written_products);
    work.uncounted = problem.what();
  }
  work.written_bytes = output_bytes(size);
  work.triangular = std::any_of(size.inputs.begin(), size.inputs.end(), is_triangular);
  if (work.triangular) {
    for (double* products :
         {&work.needed_products, &work.least_products, &work.least_tf32_products})
      *products = std::min(*products, work.products * kTriangularShare);
  }
  if (has_avoidable_products(graph)) work.needed_products = 0;
  return work;
}

}  // namespace kbench
