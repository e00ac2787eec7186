#include "baselines/vendor/plan.hpp"

namespace kbench {

using Activation = VendorProduct::Activation;
using Mode = VendorStep::Mode;
using Kind = VendorOperator::Kind;

NLOHMANN_JSON_SERIALIZE_ENUM(Activation, {{Activation::kNone, "none"},
                                          {Activation::kRelu, "relu"},
                                          {Activation::kGeluTanh, "gelu_tanh"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Mode, {{Mode::kAdd, "add"},
                                    {Mode::kSub, "sub"},
                                    {Mode::kMul, "mul"},
                                    {Mode::kDiv, "div"},
                                    {Mode::kMin, "min"},
                                    {Mode::kMax, "max"},
                                    {Mode::kRelu, "relu"},
                                    {Mode::kTanh, "tanh"},
                                    {Mode::kSigmoid, "sigmoid"},
                                    {Mode::kGelu, "gelu"},
                                    {Mode::kGeluTanh, "gelu_tanh"},
                                    {Mode::kSoftplus, "softplus"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Kind, {{Kind::kScale, "scale"},
                                    {Kind::kRelu, "relu"},
                                    {Kind::kSigmoid, "sigmoid"},
                                    {Kind::kTanh, "tanh"},
                                    {Kind::kElu, "elu"},
                                    {Kind::kSwish, "swish"},
                                    {Kind::kSoftmax, "softmax"},
                                    {Kind::kLogSoftmax, "log_softmax"},
                                    {Kind::kMaxPool, "max_pool"},
                                    {Kind::kAveragePool, "average_pool"},
                                    {Kind::kAveragePoolWithin, "average_pool_within"},
                                    {Kind::kSum, "sum"},
                                    {Kind::kMean, "mean"},
                                    {Kind::kMax, "max"},
                                    {Kind::kMin, "min"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorOperand, is_parameter, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorMatrix, tensor, transposed, batch_stride)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorProduct::Term, factor, vector)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorProduct, a, b, m, n, k, batch, scale, terms, shift,
                                   activation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorStep::Tensor, tensor, shape)

namespace {

struct ToJson {
  void operator()(std::monostate) const {}
  void operator()(std::size_t result) const { json["result"] = result; }
  void operator()(double number) const { json["number"] = number; }
  void operator()(const VendorStep::Tensor& tensor) const { json["tensor"] = tensor; }
  Json& json;
};

}  // namespace

static void to_json(Json& json, const VendorStep& step) {
  json = {{"mode", step.mode}, {"left", step.left}, {"slope", step.slope}};
  std::visit(ToJson{json}, step.right);
}

static void from_json(const Json& json, VendorStep& step) {
  json.at("mode").get_to(step.mode);
  json.at("left").get_to(step.left);
  json.at("slope").get_to(step.slope);
  if (json.contains("result")) step.right = json.at("result").get<std::size_t>();
  if (json.contains("number")) step.right = json.at("number").get<double>();
  if (json.contains("tensor")) step.right = json.at("tensor").get<VendorStep::Tensor>();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorConvolution, x, weight, x_shape, weight_shape, y_shape,
                                   padding, stride, dilation, groups, is_transposed, channels_last,
                                   steps)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorOperator, kind, x, x_shape, y_shape, number, window,
                                   padding, stride)

Json vendor_plan_json(const VendorPlan& plan) {
  Json json = {{"type", to_string(plan.type)}, {"may_use_tf32", plan.may_use_tf32}};
  if (const auto* product = std::get_if<VendorProduct>(&plan.call)) json["product"] = *product;
  if (const auto* convolution = std::get_if<VendorConvolution>(&plan.call))
    json["convolution"] = *convolution;
  if (const auto* one = std::get_if<VendorOperator>(&plan.call)) json["operator"] = *one;
  return json;
}

VendorPlan parse_vendor_plan(const Json& json) {
  VendorPlan plan;
  const auto type = dtype_from_string(json.at("type").get<std::string>());
  plan.type = type ? *type : DType::kFloat32;
  json.at("may_use_tf32").get_to(plan.may_use_tf32);
  if (json.contains("convolution"))
    plan.call = json.at("convolution").get<VendorConvolution>();
  else if (json.contains("operator"))
    plan.call = json.at("operator").get<VendorOperator>();
  else
    plan.call = json.at("product").get<VendorProduct>();
  return plan;
}

}  // namespace kbench
