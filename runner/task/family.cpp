#include "runner/task/family.hpp"

#include <algorithm>
#include <array>

namespace kbench {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 11> kFamilies{
    "matmul",  "convolution", "attention", "recurrent", "normalization", "activation",
    "pooling", "reduction",   "scan",      "loss",      "elementwise"};

struct Family {
  std::string_view name;
  Words operators;  // names of ATen; a * at an end stands for any rest
  Words in_names;   // parts of names; *word* stands for a whole word between underscores
  bool composed;    // the name is asked although operators are known
};

const std::vector<Family>& families() {
  static const std::vector<Family> kKnown = {
      {"matmul",
       {"linear", "matmul", "bmm", "mm", "mv", "dot", "addmm", "addmv", "baddbmm", "einsum",
        "bilinear"},
       {"matmul", "gemm", "matrix_mult", "matrix_vector", "_product", "linear", "mlp",
        "perceptron"},
       false},
      {"convolution", {"conv*", "_conv*"}, {"conv"}, false},
      {"attention", {"scaled_dot_product_attention"}, {"attention", "transformer", "gpt"}, true},
      {"recurrent", {"gru", "lstm", "rnn_*", "*_cell"}, {"rnn", "gru", "lstm"}, true},
      {"normalization",
       {"batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "native_*_norm"},
       {"norm"},
       true},
      {"activation",
       {"relu*",       "*_relu",      "prelu",    "elu",      "selu",    "celu",
        "gelu",        "silu",        "mish",     "sigmoid",  "tanh",    "hardtanh",
        "hardswish",   "hardsigmoid", "softplus", "softsign", "softmax", "log_softmax",
        "log_sigmoid", "softshrink",  "glu"},
       {"elu", "swish", "silu", "sigmoid", "tanh", "mish", "softmax", "softplus", "softsign"},
       false},
      {"pooling", {"*pool1d", "*pool2d", "*pool3d"}, {"pool"}, false},
      {"reduction",
       {"sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "prod", "logsumexp", "std",
        "var", "norm", "linalg_*norm"},
       {"*sum*", "*mean*", "*max*", "*min*", "*argmax*", "*argmin*", "reduction", "logsumexp",
        "log_sum_exp"},
       false},
      {"scan", {"cum*", "logcumsumexp"}, {"cumsum", "cumprod"}, false},
      {"loss", {"*_loss", "kl_div"}, {"loss"}, true},
  };
  return kKnown;
}

bool fits(std::string_view word, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return word == pattern;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  return word.size() >= before.size() + after.size() && word.starts_with(before) &&
         word.ends_with(after);
}

// "aten::add_" works in place and is an add.
std::string_view bare(std::string_view op) {
  if (const std::size_t colons = op.rfind("::"); colons != op.npos) op.remove_prefix(colons + 2);
  if (op.size() > 1 && op.ends_with('_')) op.remove_suffix(1);
  return op;
}

// "level1/019_Relu" → "_relu_": every word stands between underscores.
std::string words_of(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
  std::string words = "_";
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    words += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words + "_";
}

bool is_named(std::string_view words, std::string_view part) {
  if (!part.starts_with('*')) return words.find(part) != words.npos;
  std::string whole = "_";
  whole.append(part.substr(1, part.size() - 2)).append("_");
  return words.find(whole) != words.npos;
}

bool computes(std::span<const std::string> operators, const Family& family) {
  return std::any_of(operators.begin(), operators.end(), [&](const std::string& op) {
    return std::any_of(family.operators.begin(), family.operators.end(),
                       [&](std::string_view pattern) { return fits(bare(op), pattern); });
  });
}

// A product of two values, neither of them a parameter of a layer.
bool is_product(const std::string& op) {
  const std::string_view name = bare(op);
  return name == "matmul" || name == "bmm" || name == "einsum";
}

// Written out: a product of two values, a softmax, and a product again.
bool composes_attention(std::span<const std::string> operators) {
  int stage = 0;
  for (const std::string& op : operators) {
    if (stage == 1 ? bare(op) == "softmax" : is_product(op)) ++stage;
    if (stage == 3) return true;
  }
  return false;
}

// A part of a model that has attention need not have any: minGPT's GELU.
bool may_be_named(const Family& family, std::span<const std::string> operators) {
  if (operators.empty()) return true;
  if (family.name == "attention" && std::none_of(operators.begin(), operators.end(), is_product))
    return false;
  return family.composed;
}

bool belongs(const Family& family, std::string_view words, std::span<const std::string> operators) {
  if (computes(operators, family)) return true;
  if (family.name == "attention" && composes_attention(operators)) return true;
  return may_be_named(family, operators) &&
         std::any_of(family.in_names.begin(), family.in_names.end(),
                     [&](std::string_view part) { return is_named(words, part); });
}

}  // namespace

std::span<const std::string_view> all_families() { return kFamilies; }

std::vector<std::string> families_of(std::string_view name,
                                     std::span<const std::string> operators) {
  const std::string words = words_of(name);
  std::vector<std::string> found;
  for (const Family& family : families())
    if (belongs(family, words, operators)) found.emplace_back(family.name);
  if (found.empty() && !operators.empty()) found.emplace_back(kFamilies.back());
  return found;
}

}  // namespace kbench
