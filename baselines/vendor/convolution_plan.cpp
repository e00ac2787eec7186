#include <map>
#include <string_view>
#include <utility>

#include "baselines/vendor/plan_reader.hpp"

namespace kbench::vendor {
namespace {

using Mode = VendorStep::Mode;
using Right = decltype(VendorStep::right);

// The convolution, or the linear layer, without what follows it.
class ConvolutionReader {
 public:
  ConvolutionReader(const ShapedGraph& graph, const GraphNode& node)
      : graph_(graph), node_(node), call_(graph.call(node)), name_(call_.name()) {}

  VendorConvolution read() {
    if (name_ == "linear") {
      read_layer();
      return std::move(read_);
    }
    if (name_.starts_with("conv_transpose"))
      read_transposed();
    else if (name_ == "conv1d" || name_ == "conv2d" || name_ == "conv3d")
      read_forward();
    else
      throw NoPlan(name_ + " is no convolution that is known here");
    read_shapes();
    return std::move(read_);
  }

 private:
  [[nodiscard]] std::size_t extents() const { return call_.tensor(1).shape.size() - 2; }

  // (x, weight, bias, stride, padding, dilation, groups)
  void read_forward() {
    read_.stride = call_.by_dimension(3, extents(), 1);
    read_.dilation = call_.by_dimension(5, extents(), 1);
    read_.groups = call_.integer(6);
    if (node_.overload != "padding")
      read_.padding = call_.by_dimension(4, extents(), 0);
    else
      read_.padding = call_.text(4) == "same" ? same_padding() : Extents(extents(), 0);
  }

  [[nodiscard]] Extents same_padding() const {
    Extents padding;
    for (std::size_t i = 0; i < extents(); ++i) {
      const std::int64_t both = read_.dilation[i] * (call_.tensor(1).shape[2 + i] - 1);
      if (both % 2 != 0) throw NoPlan("more padding on one side than on the other");
      padding.push_back(both / 2);
    }
    return padding;
  }

  // (x, weight, bias, stride, padding, output padding, groups, dilation)
  void read_transposed() {
    read_.is_transposed = true;
    read_.stride = call_.by_dimension(3, extents(), 1);
    read_.padding = call_.by_dimension(4, extents(), 0);
    read_.groups = call_.integer(6);
    read_.dilation = call_.by_dimension(7, extents(), 1);
  }

  // (x, weight, bias): a convolution of 1 × 1.
  void read_layer() {
    read_operands();
    const Extents& x = graph_.shape(*graph_.value(node_, 0));
    if (x.size() != 2) throw NoPlan("a linear layer of more than a matrix");
    read_.channels_last = true;
    read_.stride = read_.dilation = {1, 1};
    read_.padding = {0, 0};
    for (Extents* shape : {&read_.x_shape, &read_.weight_shape, &read_.y_shape})
      shape->insert(shape->end(), 2, 1);
  }

  void read_operands() {
    const auto x = graph_.value(node_, 0), weight = graph_.value(node_, 1);
    const auto given_x = x ? graph_.given(*x) : std::nullopt;
    const auto given_weight = weight ? graph_.given(*weight) : std::nullopt;
    if (!given_x || !given_weight) throw NoPlan("a convolution of what something else makes");
    read_.x = *given_x;
    read_.weight = *given_weight;
    read_.x_shape = graph_.shape(*x);
    read_.weight_shape = graph_.shape(*weight);
    read_.y_shape = graph_.shape(node_.outs.front());
  }

  void read_shapes() {
    read_operands();
    if (read_.x_shape.size() != read_.weight_shape.size())
      throw NoPlan("a convolution without a batch");
    if (extents() == 1) add_height();
  }

  // cuDNN has no signals: they are images of one line.
  void add_height() {
    for (Extents* shape : {&read_.x_shape, &read_.weight_shape, &read_.y_shape})
      shape->insert(shape->begin() + 2, 1);
    read_.padding.insert(read_.padding.begin(), 0);
    read_.stride.insert(read_.stride.begin(), 1);
    read_.dilation.insert(read_.dilation.begin(), 1);
  }

  const ShapedGraph& graph_;
  const GraphNode& node_;
  const OperatorCall call_;
  const std::string name_;
  VendorConvolution read_;
};

// The operators behind it, as steps.
class StepReader {
 public:
  StepReader(const ShapedGraph& graph, std::size_t call, VendorConvolution read)
      : graph_(graph), call_(call), read_(std::move(read)) {}

  VendorConvolution read() {
    const GraphNode& convolution = graph_.graph().nodes[call_];
    std::size_t result = 0;
    if (const auto bias = graph_.value(convolution, 2)) result = add_bias(*bias);
    results_.emplace(convolution.outs.front(), result);
    for (std::size_t i = call_ + 1; i < graph_.graph().nodes.size(); ++i) {
      const GraphNode& node = graph_.graph().nodes[i];
      results_.emplace(node.outs.front(), after(node));
    }
    const auto output = results_.find(graph_.graph().outputs.front().index);
    if (output == results_.end() || output->second != read_.steps.size())
      throw NoPlan("the output is not what the convolution becomes");
    return std::move(read_);
  }

 private:
  std::size_t add_bias(std::size_t value) {
    const auto given = graph_.given(value);
    if (!given) throw NoPlan("a bias that something else makes");
    Extents shape(read_.y_shape.size(), 1);
    shape[1] = read_.y_shape[1];
    return step(Mode::kAdd, 0, VendorStep::Tensor{*given, std::move(shape)});
  }

  std::size_t step(Mode mode, std::size_t left, Right right = {}, double slope = 0) {
    read_.steps.push_back({mode, left, std::move(right), slope});
    return read_.steps.size();
  }

  [[nodiscard]] std::optional<std::size_t> known(const GraphNode& node, std::size_t arg) const {
    const auto value = graph_.value(node, arg);
    const auto found = value ? results_.find(*value) : results_.end();
    return found == results_.end() ? std::nullopt : std::optional(found->second);
  }

  std::size_t after(const GraphNode& node) {
    const std::string name = graph_.call(node).name();
    if (node.op.ends_with('_')) throw NoPlan(name + "_ works in place");
    static const std::map<std::string_view, Mode> kBinary{
        {"add", Mode::kAdd}, {"sub", Mode::kSub},     {"mul", Mode::kMul},
        {"div", Mode::kDiv}, {"minimum", Mode::kMin}, {"maximum", Mode::kMax}};
    if (const auto binary = kBinary.find(name); binary != kBinary.end())
      return after_both(node, name, binary->second);
    const auto left = known(node, 0);
    if (!left) throw NoPlan(name + " stands beside the convolution");
    return after_one(node, name, *left);
  }

  // (self, other, alpha or how a division rounds)
  std::size_t after_both(const GraphNode& node, const std::string& name, Mode mode) {
    const bool scales = name == "add" || name == "sub";
    if (scales && graph_.number(node, 2).value_or(1) != 1) throw NoPlan(name + " with a factor");
    if (name == "div" && graph_.call(node).is_given(2)) throw NoPlan("a division that rounds");
    const auto left = known(node, 0);
    const auto right = known(node, 1);
    if (left && right) return step(mode, *left, *right);
    if (left) return step(mode, *left, beside(node, 1));
    if (!right) throw NoPlan(name + " stands beside the convolution");
    if (mode == Mode::kSub || mode == Mode::kDiv)
      throw NoPlan("the convolution is what is taken away or divided by");
    return step(mode, *right, beside(node, 0));
  }

  // A number, or a tensor that is repeated as the output's shape wants.
  [[nodiscard]] Right beside(const GraphNode& node, std::size_t arg) const {
    if (const auto number = graph_.number(node, arg)) return *number;
    const auto value = graph_.value(node, arg);
    const auto given = value ? graph_.given(*value) : std::nullopt;
    if (!given) throw NoPlan("an operand that is no input and no parameter");
    Extents shape = graph_.shape(*value);
    const std::size_t rank = graph_.shape(graph_.graph().nodes[call_].outs.front()).size();
    if (shape.size() > rank) throw NoPlan("an operand with more dimensions than the convolution");
    shape.insert(shape.begin(), rank - shape.size(), 1);
    if (rank == 3) shape.insert(shape.begin() + 2, 1);  // add_height() does the same
    if (rank == 2) shape.insert(shape.end(), 2, 1);     // read_layer() does the same
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] != 1 && shape[i] != read_.y_shape[i])
        throw NoPlan("an operand that is larger than the convolution");
    return VendorStep::Tensor{*given, std::move(shape)};
  }

  std::size_t after_one(const GraphNode& node, const std::string& name, std::size_t x) {
    if (name == "relu") return step(Mode::kRelu, x);
    if (name == "leaky_relu")
      return step(Mode::kRelu, x, {}, graph_.number(node, 1).value_or(0.01));
    if (name == "tanh") return step(Mode::kTanh, x);
    if (name == "sigmoid") return step(Mode::kSigmoid, x);
    if (name == "silu") return step(Mode::kMul, step(Mode::kSigmoid, x), x);
    if (name == "gelu")
      return step(graph_.call(node).text(1) == "tanh" ? Mode::kGeluTanh : Mode::kGelu, x);
    if (name == "mish") return step(Mode::kMul, step(Mode::kTanh, step(Mode::kSoftplus, x)), x);
    if (name == "softplus" && graph_.number(node, 1).value_or(1) == 1)
      return step(Mode::kSoftplus, x);
    if (name == "relu6") return clamped(x, 0, 6);
    if (name == "hardsigmoid") return hard_sigmoid(x);
    if (name == "hardswish") return step(Mode::kMul, hard_sigmoid(x), x);
    if (name == "clamp" || name == "hardtanh")
      return clamped(x, graph_.number(node, 1), graph_.number(node, 2));
    throw NoPlan(name + " is no pointwise operator of cuDNN's graphs");
  }

  std::size_t clamped(std::size_t x, std::optional<double> least, std::optional<double> most) {
    if (least) x = step(Mode::kMax, x, *least);
    if (most) x = step(Mode::kMin, x, *most);
    return x;
  }

  std::size_t hard_sigmoid(std::size_t x) {
    return step(Mode::kDiv, clamped(step(Mode::kAdd, x, 3.0), 0, 6), 6.0);
  }

  const ShapedGraph& graph_;
  const std::size_t call_;
  VendorConvolution read_;
  std::map<std::size_t, std::size_t> results_;  // steps up to a value, by value
};

}  // namespace

VendorConvolution read_convolution(const ShapedGraph& graph, std::size_t product) {
  VendorConvolution read = ConvolutionReader(graph, graph.graph().nodes[product]).read();
  return StepReader(graph, product, std::move(read)).read();
}

}  // namespace kbench::vendor
