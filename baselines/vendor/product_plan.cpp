#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "baselines/vendor/plan_reader.hpp"

namespace kbench::vendor {
namespace {

constexpr const char* kBroadcastBatch = "a batch of which one side is repeated";

// --- the product ---

// An operand of a product: an input or parameter, or such a one the other way round.
struct Operand {
  VendorMatrix matrix;
  Extents shape;  // the product's view of it
};

class ProductReader {
 public:
  ProductReader(const ShapedGraph& graph, const GraphNode& node)
      : graph_(graph), node_(node), call_(graph.call(node)) {}

  VendorProduct read() {
    const std::string name = call_.name();
    if (name == "linear") return linear();
    if (name == "addmm") return added();
    if (name == "einsum") return einsum();
    if (name == "baddbmm") throw NoPlan("baddbmm adds a tensor that is no vector");
    multiply(operand(0), operand(1));
    return std::move(product_);
  }

 private:
  [[nodiscard]] Operand operand(std::size_t arg) const {
    const auto value = graph_.value(node_, arg);
    if (!value) throw NoPlan("a product with a number");
    return operand_of(*value);
  }

  [[nodiscard]] Operand operand_of(std::size_t value) const {
    if (const auto given = graph_.given(value)) return {{*given}, graph_.shape(value)};
    for (const GraphNode& node : graph_.graph().nodes) {
      if (std::find(node.outs.begin(), node.outs.end(), value) == node.outs.end()) continue;
      const auto from = graph_.value(node, 0);
      const auto given = from ? graph_.given(*from) : std::nullopt;
      if (!given || !swaps_last_two(graph_.shape(*from), graph_.shape(value), node)) break;
      return {{*given, true}, graph_.shape(value)};
    }
    throw NoPlan("an operand of the product that something else makes");
  }

  [[nodiscard]] bool swaps_last_two(const Extents& before, const Extents& after,
                                    const GraphNode& node) const {
    const OperatorCall call = graph_.call(node);
    if (!is_transposition(call.name()) || before.size() < 2) return false;
    if (call.name() == "transpose") {
      const std::size_t one = call.dimension(1, before.size());
      const std::size_t other = call.dimension(2, before.size());
      return std::min(one, other) == before.size() - 2 && std::max(one, other) == before.size() - 1;
    }
    return before.size() == 2 || (call.name() == "mT" && before.size() == after.size());
  }

  // a: m × k, or more dimensions before; b likewise.
  void multiply(Operand a, Operand b) {
    if (a.shape.empty() || b.shape.empty()) throw NoPlan("a product with a number");
    if (b.shape.size() == 1) b.shape.push_back(1);
    if (a.shape.size() == 1) a.shape.insert(a.shape.begin(), 1);
    const auto rows = a.shape.end() - 2;
    product_.k = a.shape.back();
    product_.n = b.shape.back();
    product_.m = *rows;
    if (b.shape.size() == 2 && !a.matrix.transposed) {
      product_.m = product_of(a.shape.begin(), a.shape.end() - 1);
    } else if (a.shape.size() > 2 || b.shape.size() > 2) {
      multiply_batches(a, b);
    }
    product_.a = a.matrix;
    product_.b = b.matrix;
  }

  void multiply_batches(Operand& a, Operand& b) {
    const auto batch_of = [](const Operand& one) {
      return Extents(one.shape.begin(), one.shape.end() - 2);
    };
    const Extents of_a = batch_of(a), of_b = batch_of(b);
    if (of_a != of_b && !of_a.empty() && !of_b.empty()) throw NoPlan(kBroadcastBatch);
    const Extents& batch = of_a.empty() ? of_b : of_a;
    product_.batch = product_of(batch.begin(), batch.end());
    if (!of_a.empty()) a.matrix.batch_stride = product_.m * product_.k;
    if (!of_b.empty()) b.matrix.batch_stride = product_.k * product_.n;
  }

  // (x, weight [n, k], bias)
  VendorProduct linear() {
    Operand weight = operand(1);
    if (weight.shape.size() != 2) throw NoPlan("a weight that is no matrix");
    std::swap(weight.shape[0], weight.shape[1]);
    weight.matrix.transposed = !weight.matrix.transposed;
    multiply(operand(0), std::move(weight));
    if (call_.is_given(2)) add_vector(2, 1);
    return std::move(product_);
  }

  // (vector, a, b, beta, alpha)
  VendorProduct added() {
    multiply(operand(1), operand(2));
    product_.scale = graph_.number(node_, 4).value_or(1);
    add_vector(0, graph_.number(node_, 3).value_or(1));
    return std::move(product_);
  }

  void add_vector(std::size_t arg, double factor) {
    const auto value = graph_.value(node_, arg);
    const auto given = value ? graph_.given(*value) : std::nullopt;
    const Extents wanted{product_.n};
    if (!given || graph_.shape(*value) != wanted)
      throw NoPlan("it adds a tensor that is no vector");
    product_.terms.push_back({factor, *given});
  }

  // "bijl,lk->bijk": a product over the last dimension of one and the first of a matrix.
  VendorProduct einsum() {
    const std::string& words = call_.text(0);
    const auto tensors = call_.read_values();
    const std::size_t comma = words.find(',');
    const std::size_t arrow = words.find("->");
    if (tensors.size() != 2 || comma == std::string::npos || arrow != comma + 3 || comma < 2)
      throw NoPlan("einsum " + words + " is no single matrix product");
    const std::string first = words.substr(0, comma);
    const std::string second = words.substr(comma + 1, 2);
    const std::string result = words.substr(arrow + 2);
    const bool is_product = first.back() == second[0] &&
                            first.find(second[1]) == std::string::npos &&
                            result == first.substr(0, first.size() - 1) + second[1];
    if (!is_product) throw NoPlan("einsum " + words + " is no single matrix product");
    multiply(operand_of(tensors[0]), operand_of(tensors[1]));
    return std::move(product_);
  }

  const ShapedGraph& graph_;
  const GraphNode& node_;
  const OperatorCall call_;
  VendorProduct product_;
};

// --- what follows it ---

using Activation = VendorProduct::Activation;

// Each value behind the product is the product with another epilogue.
class EpilogueReader {
 public:
  EpilogueReader(const ShapedGraph& graph, std::size_t product, VendorProduct read)
      : graph_(graph), product_(product), extents_(graph.shape(result_of(product))) {
    known_.emplace(result_of(product), std::move(read));
  }

  VendorProduct read() {
    const auto& nodes = graph_.graph().nodes;
    for (std::size_t i = product_ + 1; i < nodes.size(); ++i)
      known_.emplace(result_of(i), after(nodes[i]));
    const auto output = known_.find(graph_.graph().outputs.front().index);
    if (output == known_.end()) throw NoPlan("the output is not what the product becomes");
    check_vectors(output->second);
    return output->second;
  }

 private:
  // A vector as it is, which may be an input, is the library's to add. What is made of several or
  // of a factor is made once, and has to stay.
  static void check_vectors(const VendorProduct& product) {
    if (adds_as_it_is(product)) return;
    for (const VendorProduct::Term& term : product.terms)
      if (!term.vector.is_parameter) throw NoPlan("the vector that is added is made of an input");
  }

  [[nodiscard]] std::size_t result_of(std::size_t node) const {
    return graph_.graph().nodes[node].outs.front();
  }

  [[nodiscard]] const VendorProduct* known(const GraphNode& node, std::size_t arg) const {
    const auto value = graph_.value(node, arg);
    const auto found = value ? known_.find(*value) : known_.end();
    return found == known_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] VendorProduct after(const GraphNode& node) const {
    const std::string name = graph_.call(node).name();
    if (node.op.ends_with('_')) throw NoPlan(name + "_ works in place");
    if (name == "add" || name == "sub") return added(node, name == "add" ? 1 : -1);
    if (name == "mul" || name == "div") return scaled(node, name == "div");
    const VendorProduct* before = known(node, 0);
    if (before == nullptr) throw NoPlan(name + " stands beside the product");
    if (name == "relu" || cuts_at_zero(node, name)) return activated(*before, Activation::kRelu);
    if (name == "gelu" && graph_.call(node).text(1) == "tanh")
      return activated(*before, Activation::kGeluTanh);
    if (name == "gelu")
      throw NoPlan("cuBLASLt's GELU is the approximation by tanh, the task's is exact");
    throw NoPlan(name + " is no epilogue of cuBLASLt");
  }

  [[nodiscard]] bool cuts_at_zero(const GraphNode& node, const std::string& name) const {
    return (name == "clamp" || name == "clamp_min") && graph_.number(node, 1) == 0.0 &&
           !graph_.call(node).is_given(2);
  }

  static VendorProduct activated(VendorProduct before, Activation activation) {
    const bool twice = before.activation == Activation::kRelu && activation == Activation::kRelu;
    if (before.activation != Activation::kNone && !twice)
      throw NoPlan("two activations, of which cuBLASLt takes one");
    before.activation = activation;
    return before;
  }

  // (self, other, alpha)
  [[nodiscard]] VendorProduct added(const GraphNode& node, double sign) const {
    sign *= graph_.number(node, 2).value_or(1);
    const VendorProduct* left = known(node, 0);
    const VendorProduct* right = known(node, 1);
    if (left != nullptr && right != nullptr) return sum_of(*left, *right, sign);
    if (left == nullptr && right == nullptr) throw NoPlan("a sum beside the product");
    if (left == nullptr) return with_vector(scaled_by(*right, sign), node, 0, 1);
    if (const auto number = graph_.number(node, 1)) {
      VendorProduct result = linear_part(*left);
      result.shift += sign * *number;
      return result;
    }
    return with_vector(*left, node, 1, sign);
  }

  static const VendorProduct& linear_part(const VendorProduct& before) {
    if (before.activation != Activation::kNone)
      throw NoPlan("it adds something behind the activation");
    return before;
  }

  [[nodiscard]] VendorProduct with_vector(const VendorProduct& before, const GraphNode& node,
                                          std::size_t arg, double factor) const {
    VendorProduct result = linear_part(before);
    const auto value = graph_.value(node, arg);
    const auto given = value ? graph_.given(*value) : std::nullopt;
    if (!given) throw NoPlan("it adds what is no input and no parameter");
    const Extents& shape = graph_.shape(*value);
    const bool is_vector = !shape.empty() && shape.back() == result.n &&
                           product_of(shape.begin(), shape.end()) == result.n &&
                           shape.size() <= extents_.size();
    if (!is_vector) throw NoPlan("it adds a tensor that is no vector");
    result.terms.push_back({factor, *given});
    return result;
  }

  static VendorProduct sum_of(const VendorProduct& left, const VendorProduct& right, double sign) {
    VendorProduct result = linear_part(left);
    const VendorProduct other = scaled_by(linear_part(right), sign);
    result.scale += other.scale;
    result.shift += other.shift;
    result.terms.insert(result.terms.end(), other.terms.begin(), other.terms.end());
    return result;
  }

  [[nodiscard]] VendorProduct scaled(const GraphNode& node, bool divides) const {
    if (divides && graph_.call(node).is_given(2)) throw NoPlan("a division that rounds");
    const bool is_left = known(node, 0) != nullptr;
    const VendorProduct* before = is_left ? known(node, 0) : known(node, 1);
    if (before == nullptr) throw NoPlan("a multiplication beside the product");
    const auto factor = graph_.number(node, is_left ? 1 : 0);
    if (!factor || (divides && !is_left))
      throw NoPlan(
          fmt::format("it {} the product by a tensor", divides ? "divides" : "multiplies"));
    return scaled_by(*before, divides ? 1 / *factor : *factor);
  }

  // A rectifier lets a positive factor through.
  static VendorProduct scaled_by(VendorProduct product, double factor) {
    const bool passes = product.activation == Activation::kNone ||
                        (product.activation == Activation::kRelu && factor > 0);
    if (!passes) throw NoPlan("it multiplies behind the activation");
    product.scale *= factor;
    product.shift *= factor;
    for (VendorProduct::Term& term : product.terms) term.factor *= factor;
    return product;
  }

  const ShapedGraph& graph_;
  const std::size_t product_;
  const Extents extents_;
  std::map<std::size_t, VendorProduct> known_;  // key: the value
};

}  // namespace

VendorProduct read_product(const ShapedGraph& graph, std::size_t product) {
  VendorProduct read = ProductReader(graph, graph.graph().nodes[product]).read();
  return EpilogueReader(graph, product, std::move(read)).read();
}

}  // namespace kbench::vendor
