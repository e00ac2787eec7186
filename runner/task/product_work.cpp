// Products of matrices, convolutions, attention and recurrent layers: 2 M N K operations.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/task/operator_work.hpp"

namespace kbench {
namespace {

OperatorWork product(WorkTensor result, double terms) {
  OperatorWork work;
  work.products = work.needed_products = 2 * result.elements() * terms;
  work.results = {std::move(result)};
  return work;
}

void require(bool fits) {
  if (!fits) throw Uncounted("shapes that do not fit");
}

// NumPy's: a vector on the left is a row, one on the right a column.
OperatorWork multiply(const WorkTensor& one, const WorkTensor& other) {
  Extents a = one.shape;
  Extents b = other.shape;
  require(!a.empty() && !b.empty());
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  require(a.back() == b[b.size() - 2]);
  Extents result = broadcast(Extents(a.begin(), a.end() - 2), Extents(b.begin(), b.end() - 2));
  if (!row) result.push_back(a[a.size() - 2]);
  if (!column) result.push_back(b.back());
  return product({result, one.bytes}, static_cast<double>(a.back()));
}

OperatorWork matmul(const OperatorCall& call) { return multiply(call.tensor(0), call.tensor(1)); }

// beta C + alpha A B
OperatorWork added_product(const OperatorCall& call) {
  return multiply(call.tensor(1), call.tensor(2));
}

OperatorWork addbmm(const OperatorCall& call) {
  OperatorWork work = multiply(call.tensor(1), call.tensor(2));
  Extents& shape = work.results.front().shape;
  require(shape.size() == 3);
  shape.erase(shape.begin());
  return work;
}

OperatorWork linear(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const WorkTensor& weight = call.tensor(1);
  require(!x.shape.empty() && !weight.shape.empty() && x.shape.back() == weight.shape.back());
  Extents result = x.shape;
  result.pop_back();
  if (weight.shape.size() == 2) result.push_back(weight.shape.front());
  return product({result, x.bytes}, static_cast<double>(x.shape.back()));
}

OperatorWork outer(const OperatorCall& call) {
  const WorkTensor& a = call.tensor(0);
  const WorkTensor& b = call.tensor(1);
  require(a.shape.size() == 1 && b.shape.size() == 1);
  return {.results = {{{a.shape[0], b.shape[0]}, a.bytes}}};
}

// --- Einstein sums: two at a time, from left to right ---

using Letters = std::map<char, std::int64_t>;

std::vector<std::string> terms_of(std::string_view list) {
  std::vector<std::string> terms(1);
  for (const char letter : list) {
    if (letter == ',') {
      terms.emplace_back();
    } else if (letter != ' ') {
      terms.back() += letter;
    }
  }
  return terms;
}

double extent_of(const std::set<char>& letters, const Letters& extents) {
  double product = 1;
  for (const char letter : letters) product *= static_cast<double>(extents.at(letter));
  return product;
}

OperatorWork einsum(const OperatorCall& call) {
  const std::string& equation = call.text(0);
  const auto arrow = equation.find("->");
  require(arrow != std::string::npos && equation.find('.') == std::string::npos);
  const auto terms = terms_of(std::string_view(equation).substr(0, arrow));
  const std::string wanted = terms_of(std::string_view(equation).substr(arrow + 2)).front();
  const auto tensors = call.tensors(1);
  require(terms.size() == tensors.size());
  Letters extents;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    require(terms[i].size() == tensors[i].shape.size());
    for (std::size_t k = 0; k < terms[i].size(); ++k)
      extents[terms[i][k]] = std::max(extents[terms[i][k]], tensors[i].shape[k]);
  }
  OperatorWork work;
  std::set<char> left(terms.front().begin(), terms.front().end());
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::set<char> both = left;
    both.insert(terms[i].begin(), terms[i].end());
    std::set<char> later(wanted.begin(), wanted.end());
    for (std::size_t k = i + 1; k < terms.size(); ++k)
      later.insert(terms[k].begin(), terms[k].end());
    std::set<char> kept;
    for (const char letter : both)
      if (later.contains(letter)) kept.insert(letter);
    if (kept.size() < both.size()) work.products += 2 * extent_of(both, extents);
    left = kept;
  }
  work.needed_products = work.products;
  WorkTensor result{{}, tensors.front().bytes};
  for (const char letter : wanted) {
    require(extents.contains(letter));
    result.shape.push_back(extents.at(letter));
  }
  work.results = {result};
  return work;
}

// --- convolutions ---

struct Convolution {
  std::size_t dims = 0;
  Extents kernel;
  Extents stride;
  Extents dilation;
  std::int64_t groups = 1;
};

Convolution convolution_of(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const WorkTensor& weight = call.tensor(1);
  Convolution found;
  require(weight.shape.size() >= 3);
  found.dims = weight.shape.size() - 2;
  require(x.shape.size() == found.dims + 2 || x.shape.size() == found.dims + 1);
  found.kernel.assign(weight.shape.begin() + 2, weight.shape.end());
  found.stride = call.by_dimension(3, found.dims, 1);
  return found;
}

// Winograd's algorithm is for windows of three by three, side by side.
bool suits_winograd(const Convolution& convolution) {
  const auto all = [](const Extents& list, std::int64_t value) {
    return std::all_of(list.begin(), list.end(), [&](std::int64_t one) { return one == value; });
  };
  return convolution.dims >= 2 && convolution.groups == 1 && all(convolution.kernel, 3) &&
         all(convolution.stride, 1) && all(convolution.dilation, 1);
}

// (x, weight [out, in / groups, kernel…], bias, stride, padding, dilation, groups)
OperatorWork convolution(const OperatorCall& call) {
  Convolution conv = convolution_of(call);
  const WorkTensor& x = call.tensor(0);
  const WorkTensor& weight = call.tensor(1);
  conv.dilation = call.by_dimension(5, conv.dims, 1);
  conv.groups = call.integer(6);
  const bool by_word = call.node().overload == "padding";
  const bool same = by_word && call.text(4) == "same";
  const Extents padding = by_word ? Extents(conv.dims, 0) : call.by_dimension(4, conv.dims, 0);
  WorkTensor result{x.shape, x.bytes};
  const std::size_t channels = x.shape.size() - conv.dims - 1;
  result.shape[channels] = weight.shape[0];
  double read =
      elements_of(Extents(x.shape.begin(), x.shape.begin() + static_cast<long>(channels) + 1));
  for (std::size_t i = 0; i < conv.dims; ++i) {
    std::int64_t& extent = result.shape[channels + 1 + i];
    if (same) {
      read *= static_cast<double>(extent);
      continue;
    }
    const Window window{.extent = extent,
                        .kernel = conv.kernel[i],
                        .stride = conv.stride[i],
                        .padding = padding[i],
                        .dilation = conv.dilation[i]};
    read *= window.touched();
    extent = window.places();
  }
  OperatorWork work =
      product(result, elements_of(weight.shape) / static_cast<double>(weight.shape[0]));
  work.reads = {read};
  work.tf32_by_default = true;
  if (suits_winograd(conv)) work.winograd_products = work.needed_products;
  return work;
}

// (x, weight [in, out / groups, kernel…], bias, stride, padding, output padding, groups, dilation)
OperatorWork transposed_convolution(const OperatorCall& call) {
  Convolution conv = convolution_of(call);
  const WorkTensor& x = call.tensor(0);
  const WorkTensor& weight = call.tensor(1);
  const Extents padding = call.by_dimension(4, conv.dims, 0);
  const Extents more = call.by_dimension(5, conv.dims, 0);
  conv.groups = call.integer(6);
  conv.dilation = call.by_dimension(7, conv.dims, 1);
  WorkTensor result{x.shape, x.bytes};
  const std::size_t channels = x.shape.size() - conv.dims - 1;
  require(conv.groups >= 1);
  result.shape[channels] = weight.shape[1] * conv.groups;
  for (std::size_t i = 0; i < conv.dims; ++i) {
    std::int64_t& extent = result.shape[channels + 1 + i];
    extent = (extent - 1) * conv.stride[i] - 2 * padding[i] +
             conv.dilation[i] * (conv.kernel[i] - 1) + more[i] + 1;
  }
  OperatorWork work;
  work.results = {result};
  // Each input element meets every element of its row of weights.
  work.products =
      2 * x.elements() * elements_of(weight.shape) / static_cast<double>(weight.shape[0]);
  work.needed_products = work.products;
  work.tf32_by_default = true;
  if (suits_winograd(conv)) work.winograd_products = work.needed_products;
  return work;
}

// --- attention and recurrent layers ---

// (query, key, value, mask, dropout, causal, …)
OperatorWork attention(const OperatorCall& call) {
  const Extents& q = call.tensor(0).shape;
  const Extents& k = call.tensor(1).shape;
  const Extents& v = call.tensor(2).shape;
  require(q.size() >= 2 && k.size() == q.size() && v.size() == q.size());
  Extents result = q;
  result.back() = v.back();
  const double scores = elements_of(q) / static_cast<double>(std::max<std::int64_t>(q.back(), 1)) *
                        static_cast<double>(k[k.size() - 2]);
  OperatorWork work;
  work.results = {{result, call.tensor(0).bytes}};
  work.products = 2 * scores * static_cast<double>(q.back() + v.back());
  work.needed_products = work.products * (call.flag(5) ? 0.5 : 1);
  return work;
}

// (x, state or states, weights, biases, layers, dropout, train, bidirectional, batch first)
OperatorWork recurrent(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto states = call.tensors(1);
  const auto weights = call.tensors(2);
  require(x.shape.size() >= 2 && !states.front().shape.empty());
  const double rows = x.elements() / static_cast<double>(std::max<std::int64_t>(x.shape.back(), 1));
  double matrices = 0;
  std::int64_t width = states.front().shape.back();
  for (const WorkTensor& weight : weights)
    if (weight.shape.size() == 2) matrices += weight.elements();
  OperatorWork work;
  Extents result = x.shape;
  result.back() = width * (call.flag(7) ? 2 : 1);
  work.results = {{result, x.bytes}};
  for (const WorkTensor& state : states) work.results.push_back({state.shape, state.bytes});
  work.products = work.needed_products = 2 * rows * matrices;
  work.whole = true;
  work.tf32_by_default = true;
  // The backward half of the last layer may be asked for its last step alone, which is the first
  // one that it computes.
  if (call.flag(7)) {
    double last = 0;
    int found = 0;
    for (auto weight = weights.rbegin(); weight != weights.rend() && found < 2; ++weight) {
      if (weight->shape.size() != 2) continue;
      last += weight->elements();
      ++found;
    }
    work.needed_products -= 2 * rows * last;
  }
  return work;
}

}  // namespace

CountOperator find_product(const std::string& name) {
  static const std::map<std::string, CountOperator> kClasses = [] {
    std::map<std::string, CountOperator> classes{
        {"linear", linear}, {"einsum", einsum}, {"addbmm", addbmm},
        {"outer", outer},   {"ger", outer},     {"scaled_dot_product_attention", attention}};
    for (const char* one : {"matmul", "linalg_matmul", "mm", "bmm", "mv", "dot", "vdot"})
      classes[one] = matmul;
    for (const char* one : {"addmm", "baddbmm", "addmv"}) classes[one] = added_product;
    for (const std::string dims : {"1d", "2d", "3d"}) {
      classes["conv" + dims] = convolution;
      classes["conv_transpose" + dims] = transposed_convolution;
    }
    for (const char* one : {"lstm", "gru", "rnn_tanh", "rnn_relu"}) classes[one] = recurrent;
    return classes;
  }();
  const auto found = kClasses.find(name);
  return found == kClasses.end() ? nullptr : found->second;
}

}  // namespace kbench
