#include "runner/lint/value_facts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace kbench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBelowGelu = -0.171;   // it and tanh's approximation reach -0.17004
constexpr double kLargestGuard = 1e-6;  // largest guard of a norm, before a division by it

struct Bounds {
  double low = -kInfinity;
  double high = kInfinity;
};

using Args = std::vector<GraphArg>;

// A bound that is None or left out is none.
double bound(const Args& args, std::size_t index, double none) {
  return index < args.size() ? args[index].number().value_or(none) : none;
}

// The bounds of an operator that cuts to an interval and otherwise leaves its operand alone.
std::optional<Bounds> cuts_to(const GraphNode& node) {
  const auto& [op, overload, args, outs] = node;
  if (op == "aten::relu") return Bounds{0, kInfinity};
  if (op == "aten::relu6") return Bounds{0, 6};
  if (op == "aten::clamp_min") return Bounds{bound(args, 1, -kInfinity), kInfinity};
  if (op == "aten::hardtanh") return Bounds{bound(args, 1, -1), bound(args, 2, 1)};
  if (op != "aten::clamp") return std::nullopt;
  for (std::size_t i = 1; i < args.size(); ++i)
    if (std::holds_alternative<GraphValue>(args[i].value)) return std::nullopt;  // a tensor decides
  return Bounds{bound(args, 1, -kInfinity), bound(args, 2, kInfinity)};
}

std::optional<double> factor(const GraphNode& node) {
  const auto* scalar =
      node.args.size() < 2 ? nullptr : std::get_if<GraphScalar>(&node.args[1].value);
  if (scalar == nullptr || std::holds_alternative<bool>(scalar->number)) return std::nullopt;
  const double by =
      std::visit([](auto value) { return static_cast<double>(value); }, scalar->number);
  if (node.op == "aten::mul") return by;
  if (node.op == "aten::div" && node.args.size() == 2) return 1 / by;
  return std::nullopt;
}

// The dimensions that a reduction takes together and keeps, each with one place.
std::optional<std::vector<std::int64_t>> reduced(const GraphNode& node) {
  static const std::set<std::string_view> kReductions = {
      "aten::sum",  "aten::mean", "aten::max",      "aten::min",
      "aten::amax", "aten::amin", "aten::logsumexp"};
  if (!kReductions.contains(node.op) || node.args.size() < 3 || !node.args[2].is(true))
    return std::nullopt;
  const auto* list = std::get_if<GraphList>(&node.args[1].value);
  std::vector<std::int64_t> result;
  for (const GraphArg& dimension : list != nullptr ? *list : GraphList{node.args[1]}) {
    // A dimension that is counted from behind is not known here: the rank is not.
    const auto* place = std::get_if<std::int64_t>(&dimension.value);
    if (place == nullptr || *place < 0) return std::nullopt;
    result.push_back(*place);
  }
  return result;
}

bool is_between_0_and_1(const std::string& op) {
  static const std::set<std::string_view> kFractions = {"aten::sigmoid", "aten::hardsigmoid",
                                                        "aten::softmax"};
  return kFractions.contains(op);
}

bool is_never_negative(const std::string& op) {
  static const std::set<std::string_view> kNeverNegative = {
      "aten::exp", "aten::abs", "aten::square", "aten::softplus", "aten::linalg_vector_norm"};
  return kNeverNegative.contains(op);
}

// triu and tril on the main diagonal.
bool cuts_at_diagonal(const GraphNode& node, std::string_view op) {
  return node.op == op && (node.args.size() < 2 || node.args[1].number() == 0);
}
bool cuts_below_diagonal(const GraphNode& node) { return cuts_at_diagonal(node, "aten::triu"); }
bool cuts_above_diagonal(const GraphNode& node) { return cuts_at_diagonal(node, "aten::tril"); }

Bounds bounds_after(const GraphNode& node, const ValueFacts& operand) {
  const std::string& op = node.op;
  if (const auto cut = cuts_to(node)) {
    return {std::clamp(operand.low, cut->low, std::max(cut->low, cut->high)),
            std::clamp(operand.high, cut->low, std::max(cut->low, cut->high))};
  }
  if (is_between_0_and_1(op)) return {0, 1};
  if (is_never_negative(op)) return {0, kInfinity};
  if (op == "aten::tanh") return {-1, 1};
  if (op == "aten::gelu") return {operand.low >= 0 ? 0 : kBelowGelu, std::max(operand.high, 0.0)};
  if (is_identity(node, operand)) return {operand.low, operand.high};
  return {};
}

}  // namespace

ValueFacts facts_of(const Json& tensor) {
  ValueFacts facts;
  const Json draw = tensor.value("draw", Json::object());
  const std::string kept = draw.value("keep", "");
  const bool on_diagonal = draw.value("diagonal", 0) == 0;
  facts.upper = on_diagonal && kept == "triu";
  facts.lower = on_diagonal && kept == "tril";
  return facts;
}

ValueFacts facts_after(const GraphNode& node, std::span<const ValueFacts> operands) {
  const ValueFacts operand = operands.empty() ? ValueFacts{} : operands.front();
  ValueFacts facts;
  const Bounds bounds = bounds_after(node, operand);
  facts.low = bounds.low;
  facts.high = bounds.high;
  if (const auto dimensions = reduced(node)) {
    facts.single = operand.single;
    facts.single.insert(dimensions->begin(), dimensions->end());
  }
  const bool product = (node.op == "aten::matmul" || node.op == "aten::mm") && operands.size() == 2;
  facts.upper = cuts_below_diagonal(node) || (product && operand.upper && operands[1].upper);
  facts.lower = cuts_above_diagonal(node) || (product && operand.lower && operands[1].lower);
  return facts;
}

bool is_identity(const GraphNode& node, const ValueFacts& operand) {
  if (cuts_below_diagonal(node)) return operand.upper;
  if (cuts_above_diagonal(node)) return operand.lower;
  if (const auto cut = cuts_to(node)) {
    const bool guards = operand.low == 0 && cut->low > 0 && cut->low <= kLargestGuard;
    return (operand.low >= cut->low || guards) && operand.high <= cut->high;
  }
  if (node.op == "aten::abs" || node.op == "aten::leaky_relu") return operand.low >= 0;
  if (const auto by = factor(node)) return *by == 1;
  if (const auto dimensions = reduced(node)) {
    return std::all_of(dimensions->begin(), dimensions->end(),
                       [&](std::int64_t d) { return operand.single.contains(d); });
  }
  return false;
}

}  // namespace kbench
