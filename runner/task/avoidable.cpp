#include "runner/task/avoidable.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

namespace kbench {
namespace {

using Names = std::set<std::string_view>;

const Names& products() {
  static const Names names = {
      "aten::linear",           "aten::matmul",           "aten::bmm",    "aten::einsum",
      "aten::conv1d",           "aten::conv2d",           "aten::conv3d", "aten::conv_transpose1d",
      "aten::conv_transpose2d", "aten::conv_transpose3d", "aten::mm",     "aten::addmm"};
  return names;
}

// Operators whose result is smaller than their input.
const Names& reductions() {
  static const Names names = {"aten::sum",
                              "aten::mean",
                              "aten::avg_pool1d",
                              "aten::avg_pool2d",
                              "aten::avg_pool3d",
                              "aten::adaptive_avg_pool1d",
                              "aten::select",
                              "aten::slice",
                              "aten::adaptive_avg_pool2d",
                              "aten::narrow",
                              "aten::adaptive_avg_pool3d"};
  return names;
}

const Names& linear_operators() {
  static const Names names = {
      "aten::add",       "aten::add_",    "aten::sub",     "aten::rsub",
      "aten::mul",       "aten::div",     "aten::cat",     "aten::contiguous",
      "aten::expand",    "aten::flip",    "aten::flatten", "aten::expand_as",
      "aten::permute",   "aten::reshape", "aten::roll",    "aten::numpy_T",
      "aten::squeeze",   "aten::stack",   "aten::split",   "aten::masked_fill",
      "aten::transpose", "aten::unbind",  "aten::pad",     "aten::unflatten",
      "aten::unsqueeze", "aten::tril",    "aten::triu",    "aten::broadcast_tensors",
      "aten::view",      "aten::clone",   "aten::dropout"};
  return names;
}

bool reads(const std::vector<GraphArg>& args, const std::vector<bool>& marked) {
  return std::any_of(args.begin(), args.end(), [&](const GraphArg& arg) {
    if (const auto* value = std::get_if<GraphValue>(&arg.value)) return bool{marked[value->index]};
    const auto* list = std::get_if<GraphList>(&arg.value);
    return list != nullptr && reads(*list, marked);
  });
}

}  // namespace

bool only_sums(std::string_view op) {
  static const Names parts = {"aten::select", "aten::slice", "aten::narrow"};
  return reductions().contains(op) && !parts.contains(op);
}

bool is_linear(std::string_view op) {
  return linear_operators().contains(op) || (reductions().contains(op) && !only_sums(op));
}

bool has_avoidable_products(const Graph& graph) {
  std::vector<bool> linear_in_a_product(graph.value_names.size(), false);
  for (const GraphNode& node : graph.nodes) {
    const bool follows = reads(node.args, linear_in_a_product);
    const bool multiplies = products().contains(node.op);
    if (follows && (multiplies || reductions().contains(node.op))) return true;
    if (!multiplies && !(follows && linear_operators().contains(node.op))) continue;
    for (const std::size_t out : node.outs)
      if (out != GraphNode::kUnread) linear_in_a_product[out] = true;
  }
  return false;
}

}  // namespace kbench
