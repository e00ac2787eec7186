#include "runner/task/fast_math.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace kbench {
namespace {

// Without "aten::", and without the underscore of what works in place. A tanh is not among them,
// alone or in what is made of one: tanh.approx.f32 is meant to fail. By an exponential it passes as
// it is.
const std::map<std::string_view, int>& functions_of() {
  static const std::map<std::string_view, int> functions = {
      {"binary_cross_entropy", 1},
      {"binary_cross_entropy_with_logits", 2},
      {"celu", 1},
      {"cos", 1},
      {"cross_entropy_loss", 2},
      {"elu", 1},
      {"exp", 1},
      {"exp2", 1},
      {"expm1", 1},
      {"float_power", 1},
      {"glu", 1},
      {"kl_div", 1},
      {"log", 1},
      {"log10", 1},
      {"log1p", 1},
      {"log2", 1},
      {"log_sigmoid", 2},
      {"log_softmax", 2},
      {"logaddexp", 2},
      {"logaddexp2", 2},
      {"logcumsumexp", 2},
      {"logit", 1},
      {"logsumexp", 2},
      {"mish", 2},
      {"poisson_nll_loss", 1},
      {"pow", 1},
      {"scaled_dot_product_attention", 1},
      {"selu", 1},
      {"sigmoid", 1},
      {"silu", 1},
      {"sin", 1},
      {"sinc", 1},
      {"soft_margin_loss", 2},
      {"softmax", 1},
      {"softplus", 2},
      {"special_entr", 1},
      {"special_exp2", 1},
      {"special_expit", 1},
      {"special_expm1", 1},
      {"special_log1p", 1},
      {"special_log_softmax", 2},
      {"special_logit", 1},
      {"special_logsumexp", 2},
      {"special_sinc", 1},
      {"special_softmax", 1},
      {"special_xlog1py", 1},
      {"special_xlogy", 1},
      {"tan", 2},
      {"xlogy", 1},
  };
  return functions;
}

std::string_view plain_name(std::string_view op) {
  constexpr std::string_view kNamespace = "aten::";
  if (op.starts_with(kNamespace)) op.remove_prefix(kNamespace.size());
  if (op.ends_with('_')) op.remove_suffix(1);
  return op;
}

// A power that is a product or a root.
bool is_plain_power(const GraphNode& node) {
  if (plain_name(node.op) != "pow" || node.args.size() < 2) return false;
  const auto exponent = node.args[1].number();
  return exponent && 2 * *exponent == std::floor(2 * *exponent);
}

}  // namespace

int transcendental_functions(const GraphNode& node) {
  if (is_plain_power(node)) return 0;
  const auto found = functions_of().find(plain_name(node.op));
  return found == functions_of().end() ? 0 : found->second;
}

int transcendental_functions(const Graph& graph) {
  int count = 0;
  for (const GraphNode& node : graph.nodes) count += transcendental_functions(node);
  return count;
}

int hyperbolic_tangents(const GraphNode& node) {
  static const std::set<std::string_view> kNames{"tanh", "gelu", "mish", "erf", "erfc"};
  return kNames.contains(plain_name(node.op)) ? 1 : 0;
}

}  // namespace kbench
