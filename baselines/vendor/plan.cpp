#include "baselines/vendor/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "baselines/vendor/plan_reader.hpp"

namespace kbench {
namespace vendor {
namespace {

enum class Kind { kOther, kProduct, kConvolution, kAttention, kRecurrent };

Kind kind_of(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kProducts{
      "matmul", "linalg_matmul", "mm", "bmm", "mv", "linear", "addmm", "baddbmm", "einsum"};
  static constexpr std::array<std::string_view, 4> kRecurrentLayers{"lstm", "gru", "rnn_tanh",
                                                                    "rnn_relu"};
  const auto holds = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (holds(kProducts)) return Kind::kProduct;
  if (name.starts_with("conv")) return Kind::kConvolution;
  if (name == "scaled_dot_product_attention") return Kind::kAttention;
  return holds(kRecurrentLayers) ? Kind::kRecurrent : Kind::kOther;
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The only node that multiplies; empty where none does.
std::optional<std::size_t> find_call(const ShapedGraph& graph) {
  std::vector<std::size_t> products, convolutions;
  const auto& nodes = graph.graph().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    switch (kind_of(graph.call(nodes[i]).name())) {
      case Kind::kOther: break;
      case Kind::kProduct: products.push_back(i); break;
      case Kind::kConvolution: convolutions.push_back(i); break;
      case Kind::kAttention: throw NoPlan("attention is two matrix products and a softmax");
      case Kind::kRecurrent: throw NoPlan("a recurrent layer is a product at every step");
    }
  }
  const std::size_t count = products.size() + convolutions.size();
  if (count == 0) return std::nullopt;
  if (count == 1) return products.empty() ? convolutions.front() : products.front();
  const std::string of_products = counted(products.size(), "matrix product");
  const std::string of_convolutions = counted(convolutions.size(), "convolution");
  if (convolutions.empty()) throw NoPlan(of_products);
  throw NoPlan(products.empty() ? of_convolutions : of_products + " and " + of_convolutions);
}

void check_what_precedes(const ShapedGraph& graph, std::size_t call) {
  for (std::size_t i = 0; i < call; ++i) {
    const std::string name = graph.call(graph.graph().nodes[i]).name();
    if (!is_transposition(name)) throw NoPlan(name + " comes before the product");
  }
}

// Type of all tensors, which is the output's.
DType type_of(const TaskSize& size) {
  if (size.outputs.size() != 1)
    throw NoPlan(fmt::format("{} outputs, of which a call makes one", size.outputs.size()));
  const DType type = size.outputs.front().dtype;
  if (type != DType::kFloat32 && type != DType::kFloat16 && type != DType::kBFloat16)
    throw NoPlan(fmt::format("an output of type {}", to_string(type)));
  for (const auto* tensors : {&size.inputs, &size.parameters})
    for (const TensorSpec& spec : *tensors)
      if (spec.dtype != type)
        throw NoPlan(
            fmt::format("tensors of {} and of {}", to_string(spec.dtype), to_string(type)));
  return type;
}

// Reads a product for cuBLASLt, where it has the epilogue; else for cuDNN, which has more of them
// for a linear layer.
decltype(VendorPlan::call) read_matrices(const ShapedGraph& graph, std::size_t call) {
  try {
    return read_product(graph, call);
  } catch (const NoPlan& of_cublaslt) {
    if (graph.call(graph.graph().nodes[call]).name() != "linear") throw;
    try {
      return read_convolution(graph, call);
    } catch (const NoPlan& of_cudnn) {
      throw NoPlan(fmt::format("{}; {}", of_cublaslt.what(), of_cudnn.what()));
    }
  }
}

VendorPlan make_plan(const Graph& graph, const TaskSize& size, const std::string& precision) {
  VendorPlan plan;
  plan.type = type_of(size);
  const ShapedGraph shaped(graph, size);
  const auto product = find_call(shaped);
  if (!product) {
    plan.call = read_operator(shaped);
    return plan;
  }
  const std::size_t call = *product;
  check_what_precedes(shaped, call);
  const bool convolves = kind_of(shaped.call(graph.nodes[call]).name()) == Kind::kConvolution;
  if (convolves)
    plan.call = read_convolution(shaped, call);
  else
    plan.call = read_matrices(shaped, call);
  // TF32 is allowed as PyTorch allows it: for convolutions by default, for products only when told
  // to.
  plan.may_use_tf32 =
      plan.type == DType::kFloat32 && (convolves ? precision != "fp32" : precision == "tf32");
  return plan;
}

}  // namespace

ShapedGraph::ShapedGraph(const Graph& graph, const TaskSize& size) : graph_(graph) {
  values_.resize(graph.value_names.size());
  for (std::size_t i = 0; i < graph.inputs + graph.parameters; ++i) {
    const TensorSpec& spec =
        i < graph.inputs ? size.inputs.at(i) : size.parameters.at(i - graph.inputs);
    values_[i] = {spec.shape, static_cast<int>(size_of(spec.dtype))};
  }
  for (const GraphNode& node : graph.nodes) {
    const OperatorWork work = work_of(OperatorCall(node, values_));
    for (std::size_t i = 0; i < node.outs.size(); ++i)
      if (node.outs[i] != GraphNode::kUnread) values_[node.outs[i]] = work.results[i];
  }
}

std::optional<std::size_t> ShapedGraph::value(const GraphNode& node, std::size_t arg) const {
  if (arg >= node.args.size()) return std::nullopt;
  const auto* value = std::get_if<GraphValue>(&node.args[arg].value);
  return value == nullptr ? std::nullopt : std::optional(value->index);
}

std::optional<double> ShapedGraph::number(const GraphNode& node, std::size_t arg) const {
  if (arg >= node.args.size()) return std::nullopt;
  if (const auto* scalar = std::get_if<GraphScalar>(&node.args[arg].value))
    return std::visit([](auto one) { return static_cast<double>(one); }, scalar->number);
  return node.args[arg].number();
}

std::optional<VendorOperand> ShapedGraph::given(std::size_t value) const {
  if (value < graph_.inputs) return VendorOperand{false, value};
  if (graph_.is_parameter(value)) return VendorOperand{true, value - graph_.inputs};
  return std::nullopt;
}

std::int64_t product_of(Extents::const_iterator begin, Extents::const_iterator end) {
  std::int64_t product = 1;
  for (; begin != end; ++begin) product *= *begin;
  return product;
}

bool is_transposition(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames{"t", "numpy_T", "mT", "matrix_H",
                                                          "transpose"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace vendor

Result<VendorPlan> make_vendor_plan(const Graph& graph, const TaskSize& size,
                                    const std::string& precision) {
  try {
    return vendor::make_plan(graph, size, precision);
  } catch (const vendor::NoPlan& reason) {
    return Error{ErrorCode::kNotFound, reason.what(), ""};
  } catch (const Uncounted& reason) {
    return Error{ErrorCode::kNotFound, reason.what(), ""};
  }
}

bool adds_as_it_is(const VendorProduct& product) {
  if (product.terms.empty()) return product.shift == 0;
  return product.terms.size() == 1 && product.terms.front().factor == 1 && product.shift == 0;
}

std::string_view library_of(const VendorPlan& plan) {
  return std::holds_alternative<VendorProduct>(plan.call) ? "cuBLASLt" : "cuDNN";
}

}  // namespace kbench
