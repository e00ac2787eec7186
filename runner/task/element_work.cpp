// Work of operators that go element by element, normalise, reduce or measure a loss.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "runner/task/operator_work.hpp"

namespace kbench {
namespace {

using Names = std::set<std::string>;

const Names& comparisons() {
  static const Names kNames{"eq",
                            "ne",
                            "lt",
                            "le",
                            "gt",
                            "ge",
                            "greater",
                            "less",
                            "not_equal",
                            "less_equal",
                            "greater_equal",
                            "isnan",
                            "isinf",
                            "isfinite",
                            "isposinf",
                            "isneginf",
                            "isclose",
                            "logical_and",
                            "logical_or",
                            "logical_xor",
                            "logical_not",
                            "signbit"};
  return kNames;
}

const Names& elementwise_names() {
  static const Names kNames{"add",         "sub",           "rsub",         "mul",
                            "div",         "true_divide",   "multiply",     "subtract",
                            "divide",      "floor_divide",  "remainder",    "fmod",
                            "pow",         "float_power",   "neg",          "negative",
                            "abs",         "absolute",      "sign",         "sgn",
                            "reciprocal",  "square",        "sqrt",         "rsqrt",
                            "exp",         "exp2",          "expm1",        "log",
                            "log2",        "log10",         "log1p",        "ceil",
                            "floor",       "round",         "trunc",        "fix",
                            "frac",        "sin",           "cos",          "tan",
                            "asin",        "acos",          "atan",         "atan2",
                            "sinh",        "cosh",          "tanh",         "asinh",
                            "acosh",       "atanh",         "sinc",         "hypot",
                            "erf",         "erfc",          "erfinv",       "lgamma",
                            "digamma",     "xlogy",         "logit",        "addcmul",
                            "addcdiv",     "lerp",          "logaddexp",    "logaddexp2",
                            "maximum",     "minimum",       "fmax",         "fmin",
                            "clamp",       "clamp_min",     "clamp_max",    "clip",
                            "nan_to_num",  "copysign",      "heaviside",    "positive",
                            "bitwise_and", "bitwise_or",    "bitwise_xor",  "bitwise_not",
                            "relu",        "relu6",         "leaky_relu",   "elu",
                            "selu",        "celu",          "gelu",         "silu",
                            "mish",        "sigmoid",       "log_sigmoid",  "hardtanh",
                            "hardswish",   "hardsigmoid",   "hardshrink",   "softshrink",
                            "softplus",    "threshold",     "prelu",        "deg2rad",
                            "rad2deg",     "special_expit", "special_entr", "special_xlog1py",
                            "__and__",     "__or__",        "__xor__"};
  return kNames;
}

Extents joint_shape(const OperatorCall& call) {
  Extents shape;
  for (std::size_t i = 0; i < call.node().args.size(); ++i)
    if (call.is_tensor(i)) shape = broadcast(shape, call.tensor(i).shape);
  return shape;
}

int widest_element(const OperatorCall& call) {
  int bytes = 1;
  for (std::size_t i = 0; i < call.node().args.size(); ++i)
    if (call.is_tensor(i)) bytes = std::max(bytes, call.tensor(i).bytes);
  return bytes;
}

OperatorWork elementwise(const OperatorCall& call) {
  // A parameter of channels, which broadcasts along the second dimension.
  if (call.name() == "prelu") return {.results = {{call.tensor(0).shape, call.tensor(0).bytes}}};
  return {.results = {{joint_shape(call), widest_element(call)}}};
}

OperatorWork comparison(const OperatorCall& call) { return {.results = {{joint_shape(call), 1}}}; }

// The elements that it reads depend on the condition, which is data.
OperatorWork where(const OperatorCall& call) {
  int bytes = 1;
  for (const std::size_t arg : {1u, 2u})
    if (call.is_tensor(arg)) bytes = std::max(bytes, call.tensor(arg).bytes);
  return {.results = {{joint_shape(call), bytes}}, .reads = {call.tensor(0).elements(), 0, 0}};
}

OperatorWork masked_fill(const OperatorCall& call) {
  return {.results = {{joint_shape(call), call.tensor(0).bytes}},
          .reads = {0, call.tensor(1).elements()}};
}

// Operators whose result is as large as the first tensor: softmax, cumulative sums, flips, norms,
// copies.
OperatorWork alike(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  return {.results = {{x.shape, x.bytes}, {x.shape, 8}}};
}

OperatorWork glu(const OperatorCall& call) {
  WorkTensor x = call.tensor(0);
  x.shape.at(call.dimension(1, x.shape.size())) /= 2;
  x.dense = true;
  return {.results = {x}};
}

// Work on half of a square, or on what a diagonal leaves of it.
OperatorWork triangle(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t rank = x.shape.size();
  if (rank < 2) throw Uncounted("no rows and columns");
  const std::int64_t diagonal = call.is_given(1) ? call.integer(1) : 0;
  const std::int64_t rows = x.shape[rank - 2];
  const std::int64_t columns = x.shape[rank - 1];
  double kept = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto upto =
        std::clamp<std::int64_t>(row + diagonal + (call.name() == "tril" ? 1 : 0), 0, columns);
    kept += static_cast<double>(call.name() == "tril" ? upto : columns - upto);
  }
  const double whole = static_cast<double>(rows) * static_cast<double>(columns);
  return {.results = {{x.shape, x.bytes}}, .reads = {whole > 0 ? x.elements() * kept / whole : 0}};
}

OperatorWork filled_like(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  return {.results = {{x.shape, x.bytes}}, .reads = {0}};
}

OperatorWork filled(const OperatorCall& call) {
  const bool boolean =
      std::any_of(call.node().args.begin(), call.node().args.end(), [](const GraphArg& arg) {
        const auto* dtype = std::get_if<GraphDType>(&arg.value);
        return dtype != nullptr && dtype->name == "bool";
      });
  return {.results = {{call.integers(0), boolean ? 1 : 4}}};
}

Extents reduced(const Extents& shape, const Extents& dims, bool keep) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::vector<bool> gone(shape.size(), dims.empty());
  for (std::int64_t dim : dims) {
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) throw Uncounted("a dimension that is not there");
    gone[static_cast<std::size_t>(dim)] = true;
  }
  Extents left;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!gone[i]) left.push_back(shape[i]);
    if (gone[i] && keep) left.push_back(1);
  }
  return left;
}

bool gives_indices(const std::string& name) {
  return name == "argmax" || name == "argmin" || name == "count_nonzero";
}

// (x, dims, …, keepdim, …): the overload says whether there are dims. The first true or false after
// them that is no correction is keepdim, wherever it stands.
OperatorWork reduction(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::string name = call.name();
  const bool norm = name.find("norm") != std::string::npos;  // the order stands first
  const std::size_t at = norm ? 2 : 1;
  const std::string& overload = call.node().overload;
  const bool everything = overload.empty() && !norm && name != "amax" && name != "amin" &&
                          name != "argmax" && name != "argmin" && name != "logsumexp";
  Extents dims;
  bool keep = false;
  if (!everything) {
    dims = call.integers(at);
    // var.dim(x, dims, unbiased, keepdim); var.correction(x, dims, correction, keepdim).
    const bool variance = name.starts_with("var") || name.starts_with("std");
    keep = call.flag(at + (variance ? 2 : 1));
  }
  const WorkTensor result{reduced(x.shape, dims, keep), gives_indices(name) ? 8 : x.bytes};
  const bool pair = name.find("_mean") != std::string::npos || name == "aminmax";
  return {.results = {result, {result.shape, pair ? x.bytes : 8}}};
}

// max.other and min.other are element by element.
OperatorWork extreme(const OperatorCall& call) {
  return call.node().overload == "other" ? elementwise(call) : reduction(call);
}

// Means or sums of all elements, or as many losses as there are (reduction 0). `reduction_at` is an
// argument.
std::optional<std::size_t> reduction_at(const std::string& name) {
  static const std::map<std::string, std::size_t> kPlaces{
      {"mse_loss", 2},         {"l1_loss", 2},
      {"smooth_l1_loss", 2},   {"huber_loss", 2},
      {"kl_div", 2},           {"binary_cross_entropy", 3},
      {"soft_margin_loss", 2}, {"binary_cross_entropy_with_logits", 4}};
  const auto found = kPlaces.find(name);
  if (found == kPlaces.end()) return std::nullopt;
  return found->second;
}

OperatorWork loss(const OperatorCall& call) {
  const bool each = call.integer(*reduction_at(call.name())) == 0;
  return {.results = {{each ? joint_shape(call) : Extents{}, widest_element(call)}}};
}

// (logits, classes, weights, reduction, …): the classes are along the second dimension.
OperatorWork cross_entropy(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  Extents each;
  if (call.integer(3) == 0 && !x.shape.empty()) {
    each = x.shape;
    each.erase(each.begin() + (each.size() > 1 ? 1 : 0));
  }
  return {.results = {{each, x.bytes}}};
}

OperatorWork triplet_loss(const OperatorCall& call) {
  Extents each = joint_shape(call);
  if (call.integer(7) != 0) {
    each.clear();
  } else if (!each.empty()) {
    each.pop_back();
  }
  return {.results = {{each, call.tensor(0).bytes}}};
}

}  // namespace

CountOperator find_element(const std::string& name) {
  static const std::map<std::string, CountOperator> kOthers = [] {
    std::map<std::string, CountOperator> others{{"where", where},
                                                {"masked_fill", masked_fill},
                                                {"tril", triangle},
                                                {"triu", triangle},
                                                {"glu", glu},
                                                {"cross_entropy_loss", cross_entropy},
                                                {"triplet_margin_loss", triplet_loss}};
    for (const char* one :
         {"softmax",       "log_softmax",    "special_softmax", "cumsum",   "cumprod",
          "logcumsumexp",  "cummax",         "cummin",          "flip",     "fliplr",
          "flipud",        "roll",           "dropout",         "clone",    "batch_norm",
          "instance_norm", "layer_norm",     "group_norm",      "rms_norm", "sort",
          "argsort",       "channel_shuffle"})
      others[one] = alike;
    for (const char* one : {"zeros_like", "ones_like", "full_like"}) others[one] = filled_like;
    for (const char* one : {"zeros", "ones", "full"}) others[one] = filled;
    return others;
  }();
  if (elementwise_names().contains(name)) return elementwise;
  if (comparisons().contains(name)) return comparison;
  if (reduction_at(name)) return loss;
  const auto found = kOthers.find(name);
  return found == kOthers.end() ? nullptr : found->second;
}

CountOperator find_reduction(const std::string& name) {
  static const Names kNames{"sum",
                            "mean",
                            "nansum",
                            "nanmean",
                            "prod",
                            "amax",
                            "amin",
                            "argmax",
                            "argmin",
                            "all",
                            "any",
                            "logsumexp",
                            "var",
                            "std",
                            "var_mean",
                            "std_mean",
                            "aminmax",
                            "count_nonzero",
                            "linalg_vector_norm",
                            "norm"};
  if (name == "max" || name == "min") return extreme;
  return kNames.contains(name) ? reduction : nullptr;
}

}  // namespace kbench
