#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "baselines/vendor/plan_reader.hpp"

namespace kbench::vendor {
namespace {

using Operation = VendorOperator::Kind;

// cuDNN's tensors have four dimensions at least.
Extents with_four(Extents shape) {
  if (shape.size() < 4) shape.resize(4, 1);
  return shape;
}

// A graph of one operator on one tensor of the task; a swish is two.
class OperatorReader {
 public:
  explicit OperatorReader(const ShapedGraph& graph)
      : graph_(graph), node_(last_node(graph)), call_(graph.call(node_)), name_(call_.name()) {}

  VendorOperator read() {
    if (node_.op.ends_with('_')) throw NoPlan(name_ + "_ works in place");
    if (is_swish())
      read_elementwise(Operation::kSwish);
    else if (graph_.graph().nodes.size() > 1)
      throw NoPlan("no matrix product and no convolution, but several operators");
    else
      read_single();
    const auto given = graph_.given(x_);
    if (!given || graph_.graph().outputs.front().index != node_.outs.front())
      throw NoPlan("the output is not what " + name_ + " makes of a tensor of the task");
    read_.x = *given;
    return std::move(read_);
  }

 private:
  static const GraphNode& last_node(const ShapedGraph& graph) {
    if (graph.graph().nodes.empty()) throw NoPlan("no operator");
    return graph.graph().nodes.back();
  }

  [[nodiscard]] std::size_t value(std::size_t arg) const {
    const auto found = graph_.value(node_, arg);
    if (!found) throw NoPlan(name_ + " of what is no tensor");
    return *found;
  }

  // silu(x), or x times its sigmoid.
  bool is_swish() {
    const auto& nodes = graph_.graph().nodes;
    if (name_ == "silu" && nodes.size() == 1) {
      x_ = value(0);
      return true;
    }
    if (nodes.size() != 2 || name_ != "mul" || graph_.call(nodes[0]).name() != "sigmoid")
      return false;
    const std::size_t sigmoid = nodes[0].outs.front();
    const auto left = graph_.value(node_, 0), right = graph_.value(node_, 1);
    const auto of = graph_.value(nodes[0], 0);
    const bool multiplies = (left == of && right == sigmoid) || (left == sigmoid && right == of);
    if (!of || !multiplies) return false;
    x_ = *of;
    return true;
  }

  void read_single() {
    static const std::map<std::string_view, Operation> kElementwise{
        {"relu", Operation::kRelu},
        {"sigmoid", Operation::kSigmoid},
        {"tanh", Operation::kTanh},
        {"elu", Operation::kElu},
        {"mul", Operation::kScale}};
    static const std::map<std::string_view, Operation> kReductions{
        {"sum", Operation::kSum},  {"mean", Operation::kMean}, {"max", Operation::kMax},
        {"amax", Operation::kMax}, {"min", Operation::kMin},   {"amin", Operation::kMin}};
    x_ = value(0);
    if (const auto found = kElementwise.find(name_); found != kElementwise.end())
      return read_elementwise(found->second);
    if (const auto found = kReductions.find(name_); found != kReductions.end())
      return read_reduction(found->second);
    if (name_ == "softmax") return read_softmax(Operation::kSoftmax);
    if (name_ == "log_softmax") return read_softmax(Operation::kLogSoftmax);
    if (name_.starts_with("max_pool")) return read_max_pooling();
    if (name_.starts_with("avg_pool")) return read_average_pooling();
    throw NoPlan("no matrix product and no convolution, and " + name_ +
                 " is no function of cuDNN's that is called here");
  }

  void read_elementwise(Operation kind) {
    read_.kind = kind;
    read_.x_shape = read_.y_shape = with_four(graph_.shape(x_));
    if (kind == Operation::kScale) {
      const auto factor = graph_.number(node_, 1);
      if (!factor) throw NoPlan("a product of two tensors, element by element");
      read_.number = *factor;
    }
    if (kind != Operation::kElu) return;
    // (x, alpha, scale, input scale)
    read_.number = graph_.number(node_, 1).value_or(1);
    if (graph_.number(node_, 2).value_or(1) != 1 || graph_.number(node_, 3).value_or(1) != 1)
      throw NoPlan("an elu with a scale");
  }

  // (x, dimension or dimensions, whether they are kept, type)
  void read_reduction(Operation kind) {
    if (!call_.is_given(1) || call_.is_tensor(1)) throw NoPlan(name_ + " over all dimensions");
    if (call_.is_given(3)) throw NoPlan(name_ + " in another type");
    const Extents& x = graph_.shape(x_);
    Extents y = x;
    for (std::int64_t dimension : call_.integers(1)) {
      if (dimension < 0) dimension += static_cast<std::int64_t>(x.size());
      y.at(static_cast<std::size_t>(dimension)) = 1;
    }
    read_.kind = kind;
    read_.x_shape = with_four(x);
    read_.y_shape = with_four(std::move(y));
  }

  // (x, dimension, type): over the second of four dimensions, what lies before and behind together.
  void read_softmax(Operation kind) {
    if (call_.is_given(2)) throw NoPlan(name_ + " in another type");
    const Extents& x = graph_.shape(x_);
    if (x.empty()) throw NoPlan(name_ + " of a number");
    const auto at = x.begin() + static_cast<std::ptrdiff_t>(call_.dimension(1, x.size()));
    read_.kind = kind;
    read_.x_shape = {product_of(x.begin(), at), *at, product_of(at + 1, x.end()), 1};
    read_.y_shape = read_.x_shape;
  }

  // (x, window, stride, padding, dilation, whether the last place may hang over)
  void read_max_pooling() {
    read_windows(Operation::kMaxPool);
    for (const std::int64_t dilation : call_.by_dimension(4, extents(), 1))
      if (dilation != 1) throw NoPlan("a window with gaps, which cuDNN's pooling has not");
    if (call_.is_given(5) && call_.flag(5)) throw NoPlan("a window that hangs over the end");
  }

  // (x, window, stride, padding, whether the last place may hang over, whether padding counts,
  // divisor)
  void read_average_pooling() {
    const bool counts_padding = !call_.is_given(5) || call_.flag(5);
    read_windows(counts_padding ? Operation::kAveragePool : Operation::kAveragePoolWithin);
    if (call_.is_given(4) && call_.flag(4)) throw NoPlan("a window that hangs over the end");
    if (call_.is_given(6)) throw NoPlan("a divisor of its own");
  }

  [[nodiscard]] std::size_t extents() const { return graph_.shape(x_).size() - 2; }

  void read_windows(Operation kind) {
    const std::size_t wanted = static_cast<std::size_t>(name_.back() == 'd' ? name_[8] - '0' : 0);
    if (graph_.shape(x_).size() != wanted + 2) throw NoPlan("pooling without a batch");
    read_.kind = kind;
    read_.x_shape = graph_.shape(x_);
    read_.y_shape = graph_.shape(node_.outs.front());
    read_.window = call_.by_dimension(1, extents(), 1);
    read_.stride = call_.is_given(2) ? call_.by_dimension(2, extents(), 1) : read_.window;
    read_.padding = call_.by_dimension(3, extents(), 0);
    if (extents() == 1) add_height();
  }

  // cuDNN has no signals: they are images of one line.
  void add_height() {
    read_.x_shape.insert(read_.x_shape.begin() + 2, 1);
    read_.y_shape.insert(read_.y_shape.begin() + 2, 1);
    read_.window.insert(read_.window.begin(), 1);
    read_.stride.insert(read_.stride.begin(), 1);
    read_.padding.insert(read_.padding.begin(), 0);
  }

  const ShapedGraph& graph_;
  const GraphNode& node_;
  const OperatorCall call_;
  const std::string name_;
  std::size_t x_ = 0;  // a value
  VendorOperator read_;
};

}  // namespace

VendorOperator read_operator(const ShapedGraph& graph) { return OperatorReader(graph).read(); }

}  // namespace kbench::vendor
