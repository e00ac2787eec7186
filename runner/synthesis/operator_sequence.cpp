#include "runner/synthesis/operator_sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace kbench {
namespace {

// Longest period of a loop's body. One step of a deep recurrent network has about forty operators.
constexpr std::size_t kLongestPeriod = 96;

bool moves_data(std::string_view name) {
  static const std::set<std::string_view> kMovers = {
      "_to_copy",     "_unsafe_view", "adjoint",      "alias",
      "arange",       "as_strided",   "atleast_2d",   "broadcast_tensors",
      "chunk",        "clone",        "contiguous",   "detach",
      "empty",        "empty_like",   "expand",       "expand_as",
      "flatten",      "full",         "full_like",    "lift_fresh_copy",
      "mH",           "mT",           "matrix_H",     "movedim",
      "narrow",       "numpy_T",      "ones",         "ones_like",
      "permute",      "ravel",        "reshape",      "scalar_tensor",
      "select",       "slice",        "split",        "split_with_sizes",
      "squeeze",      "swapaxes",     "swapdims",     "t",
      "tensor_split", "to",           "transpose",    "type_as",
      "unbind",       "unflatten",    "unsafe_chunk", "unsafe_split",
      "unsqueeze",    "view",         "view_as",      "zeros",
      "zeros_like"};
  return kMovers.contains(name);
}

std::string_view one_spelling(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kSpellings = {
      {"mm", "matmul"},
      {"bmm", "matmul"},
      {"mv", "matmul"},
      {"dot", "matmul"},
      {"inner", "matmul"},
      {"einsum", "matmul"},
      {"linalg_matmul", "matmul"},
      {"tensordot", "matmul"},
      {"addmm", "linear"},
      {"clamp_min", "clamp"},
      {"clamp_max", "clamp"},
      {"clip", "clamp"},
      {"hardtanh", "clamp"},
      {"relu6", "clamp"},
      {"rsub", "sub"},
      {"subtract", "sub"},
      {"true_divide", "div"},
      {"divide", "div"},
      {"multiply", "mul"},
      {"amax", "max"},
      {"amin", "min"},
      {"maximum", "max"},
      {"minimum", "min"},
      {"square", "pow"},
      {"absolute", "abs"},
      {"negative", "neg"},
      {"linalg_vector_norm", "norm"},
      {"linalg_norm", "norm"},
      {"frobenius_norm", "norm"},
      {"linalg_matrix_norm", "norm"},
      {"_softmax", "softmax"},
      {"special_softmax", "softmax"},
      {"_log_softmax", "log_softmax"},
      {"special_log_softmax", "log_softmax"},
      {"special_expit", "sigmoid"},
      {"concat", "cat"},
      {"concatenate", "cat"},
      {"native_layer_norm", "layer_norm"},
      {"native_group_norm", "group_norm"},
      {"native_batch_norm", "batch_norm"},
      {"special_logsumexp", "logsumexp"}};
  const auto found = kSpellings.find(name);
  return found == kSpellings.end() ? name : found->second;
}

// "aten::add_" works in place and is an add.
std::string_view bare(std::string_view op) {
  if (const std::size_t colons = op.rfind("::"); colons != op.npos) op.remove_prefix(colons + 2);
  if (op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  return op;
}

// How often the block of `period` operators at `start` stands there in a row.
std::size_t repeats(const OperatorSequence& all, std::size_t start, std::size_t period) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(start);
  std::size_t count = 1;
  for (std::size_t next = start + period; next + period <= all.size(); next += period) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(next);
    if (!std::equal(first, first + static_cast<std::ptrdiff_t>(period), at)) break;
    ++count;
  }
  return count;
}

OperatorSequence without_loops(const OperatorSequence& all) {
  OperatorSequence short_form;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t step = 1;
    std::size_t kept = 1;
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
      const std::size_t count = repeats(all, i, period);
      if (count < kUnrolled) continue;
      step = count * period;
      kept = period;
      break;
    }
    for (std::size_t k = 0; k < kept; ++k) short_form.push_back(all[i + k]);
    i += step;
  }
  return short_form;
}

}  // namespace

OperatorSequence operator_sequence(const std::vector<std::string>& operators) {
  OperatorSequence sequence;
  for (const std::string& op : operators) {
    const std::string_view name = bare(op);
    if (!moves_data(name)) sequence.emplace_back(one_spelling(name));
  }
  return without_loops(sequence);
}

OperatorSequence operator_sequence(const Graph& graph) {
  std::vector<std::string> operators;
  for (const GraphNode& node : graph.nodes) operators.push_back(node.op);
  return operator_sequence(operators);
}

}  // namespace kbench
