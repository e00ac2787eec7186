#include "runner/lint/value_facts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace kbench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBelowGelu = -0.171;   // it and tanh's approximation reach -0.17004
constexpr double kLargestGuard = 1e-6;  // of a norm, before a division by it

struct Bounds {
  double low = -kInfinity;
  double high = kInfinity;
};

// A bound that is null or left out is none. An infinite one is written as an object.
double bound(const Json& args, std::size_t index, double none) {
  return index < args.size() && args[index].is_number() ? args[index].get<double>() : none;
}

// The bounds of an operator that cuts to an interval and otherwise leaves its operand alone.
std::optional<Bounds> cuts_to(const std::string& op, const Json& args) {
  if (op == "aten::relu") return Bounds{0, kInfinity};
  if (op == "aten::relu6") return Bounds{0, 6};
  if (op == "aten::clamp_min") return Bounds{bound(args, 1, -kInfinity), kInfinity};
  if (op == "aten::hardtanh") return Bounds{bound(args, 1, -1), bound(args, 2, 1)};
  if (op != "aten::clamp") return std::nullopt;
  for (std::size_t i = 1; i < args.size(); ++i)
    if (args[i].is_object()) return std::nullopt;  // by a tensor
  return Bounds{bound(args, 1, -kInfinity), bound(args, 2, kInfinity)};
}

std::optional<double> factor(const std::string& op, const Json& args) {
  if (args.size() < 2 || !args[1].is_object() || !args[1].contains("scalar")) return std::nullopt;
  const Json& scalar = args[1].at("scalar");
  if (!scalar.is_number()) return std::nullopt;
  if (op == "aten::mul") return scalar.get<double>();
  if (op == "aten::div" && args.size() == 2) return 1 / scalar.get<double>();
  return std::nullopt;
}

// The dimensions that a reduction takes together and keeps, each with one place.
std::optional<std::vector<std::int64_t>> reduced(const std::string& op, const Json& args) {
  static const std::set<std::string_view> kReductions = {
      "aten::sum",  "aten::mean", "aten::max",      "aten::min",
      "aten::amax", "aten::amin", "aten::logsumexp"};
  if (!kReductions.contains(op) || args.size() < 3 || args[2] != Json(true)) return std::nullopt;
  const Json dimensions = args[1].is_array() ? args[1] : Json::array({args[1]});
  std::vector<std::int64_t> result;
  for (const Json& dimension : dimensions) {
    // From behind it cannot be counted here: the rank is not known.
    if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0) return std::nullopt;
    result.push_back(dimension.get<std::int64_t>());
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
bool cuts_below_diagonal(const std::string& op, const Json& args) {
  return op == "aten::triu" && (args.size() < 2 || args[1] == Json(0));
}
bool cuts_above_diagonal(const std::string& op, const Json& args) {
  return op == "aten::tril" && (args.size() < 2 || args[1] == Json(0));
}

Bounds bounds_after(const std::string& op, const Json& args, const ValueFacts& operand) {
  if (const auto cut = cuts_to(op, args)) {
    return {std::clamp(operand.low, cut->low, std::max(cut->low, cut->high)),
            std::clamp(operand.high, cut->low, std::max(cut->low, cut->high))};
  }
  if (is_between_0_and_1(op)) return {0, 1};
  if (is_never_negative(op)) return {0, kInfinity};
  if (op == "aten::tanh") return {-1, 1};
  if (op == "aten::gelu") return {operand.low >= 0 ? 0 : kBelowGelu, std::max(operand.high, 0.0)};
  if (is_identity(op, args, operand)) return {operand.low, operand.high};
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

ValueFacts facts_after(const std::string& op, const Json& args,
                       std::span<const ValueFacts> operands) {
  const ValueFacts operand = operands.empty() ? ValueFacts{} : operands.front();
  ValueFacts facts;
  const Bounds bounds = bounds_after(op, args, operand);
  facts.low = bounds.low;
  facts.high = bounds.high;
  if (const auto dimensions = reduced(op, args)) {
    facts.single = operand.single;
    facts.single.insert(dimensions->begin(), dimensions->end());
  }
  const bool product = (op == "aten::matmul" || op == "aten::mm") && operands.size() == 2;
  facts.upper = cuts_below_diagonal(op, args) || (product && operand.upper && operands[1].upper);
  facts.lower = cuts_above_diagonal(op, args) || (product && operand.lower && operands[1].lower);
  return facts;
}

bool is_identity(const std::string& op, const Json& args, const ValueFacts& operand) {
  if (cuts_below_diagonal(op, args)) return operand.upper;
  if (cuts_above_diagonal(op, args)) return operand.lower;
  if (const auto cut = cuts_to(op, args)) {
    const bool guards = operand.low == 0 && cut->low > 0 && cut->low <= kLargestGuard;
    return (operand.low >= cut->low || guards) && operand.high <= cut->high;
  }
  if (op == "aten::abs" || op == "aten::leaky_relu") return operand.low >= 0;
  if (const auto by = factor(op, args)) return *by == 1;
  if (const auto dimensions = reduced(op, args)) {
    return std::all_of(dimensions->begin(), dimensions->end(),
                       [&](std::int64_t d) { return operand.single.contains(d); });
  }
  return false;
}

}  // namespace kbench
