#include "runner/task/operator_work.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "runner/task/task.hpp"

namespace kbench {
namespace {

void add_values(const GraphArg& arg, std::vector<std::size_t>& values) {
  if (const auto* value = std::get_if<GraphValue>(&arg.value)) values.push_back(value->index);
  if (const auto* list = std::get_if<GraphList>(&arg.value))
    for (const GraphArg& item : *list) add_values(item, values);
}

void check_shape(const WorkTensor& tensor) {
  const bool sound = tensor.shape.size() <= kMaxRank &&
                     std::all_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t extent) {
                       return extent >= 0 && extent <= kMaxElements;
                     });
  if (!sound) throw Uncounted("a shape that cannot be");
}

}  // namespace

double elements_of(const Extents& shape) {
  double elements = 1;
  for (const std::int64_t extent : shape) elements *= static_cast<double>(extent);
  return elements;
}

double WorkTensor::elements() const { return elements_of(shape); }

Extents broadcast(const Extents& one, const Extents& other) {
  Extents result = one.size() >= other.size() ? one : other;
  const Extents& shorter = one.size() >= other.size() ? other : one;
  for (std::size_t i = 1; i <= shorter.size(); ++i) {
    std::int64_t& extent = result[result.size() - i];
    const std::int64_t beside = shorter[shorter.size() - i];
    if (extent != beside && extent != 1 && beside != 1) throw Uncounted("shapes that do not fit");
    if (extent == 1) extent = beside;
  }
  return result;
}

std::string OperatorCall::name() const {
  std::string name = node_->op;
  if (name.starts_with("aten::")) name.erase(0, 6);
  if (name.ends_with('_') && !name.ends_with("__")) name.pop_back();
  return name;
}

const GraphArg& OperatorCall::arg(std::size_t index) const {
  if (index >= node_->args.size()) throw Uncounted("an argument that is not there");
  return node_->args[index];
}

bool OperatorCall::is_given(std::size_t index) const {
  return index < node_->args.size() &&
         !std::holds_alternative<std::monostate>(node_->args[index].value);
}

bool OperatorCall::is_tensor(std::size_t index) const {
  return index < node_->args.size() && std::holds_alternative<GraphValue>(node_->args[index].value);
}

const WorkTensor& OperatorCall::tensor(std::size_t index) const {
  const auto* value = std::get_if<GraphValue>(&arg(index).value);
  if (value == nullptr) throw Uncounted("an argument that is no tensor");
  return values_->at(value->index);
}

std::vector<WorkTensor> OperatorCall::tensors(std::size_t index) const {
  std::vector<std::size_t> indices;
  add_values(arg(index), indices);
  std::vector<WorkTensor> found;
  for (const std::size_t value : indices) found.push_back(values_->at(value));
  if (found.empty()) throw Uncounted("a list without tensors");
  return found;
}

std::int64_t OperatorCall::integer(std::size_t index) const {
  const auto* number = std::get_if<std::int64_t>(&arg(index).value);
  if (number == nullptr) throw Uncounted("an argument that is no integer");
  return *number;
}

bool OperatorCall::flag(std::size_t index) const {
  return index < node_->args.size() && node_->args[index].is(true);
}

const std::string& OperatorCall::text(std::size_t index) const {
  const auto* text = std::get_if<std::string>(&arg(index).value);
  if (text == nullptr) throw Uncounted("an argument that is no text");
  return *text;
}

Extents OperatorCall::integers(std::size_t index) const {
  Extents found;
  if (!is_given(index)) return found;
  if (const auto* one = std::get_if<std::int64_t>(&arg(index).value)) return {*one};
  const auto* list = std::get_if<GraphList>(&arg(index).value);
  if (list == nullptr) throw Uncounted("an argument that is no list of integers");
  for (const GraphArg& item : *list) {
    const auto* number = std::get_if<std::int64_t>(&item.value);
    if (number == nullptr) throw Uncounted("a list of something else than integers");
    found.push_back(*number);
  }
  return found;
}

Extents OperatorCall::by_dimension(std::size_t index, std::size_t dims,
                                   std::int64_t otherwise) const {
  Extents found = integers(index);
  if (found.empty()) found.assign(dims, otherwise);
  if (found.size() == 1) found.assign(dims, found.front());
  if (found.size() != dims) throw Uncounted("a list of another length than dimensions");
  return found;
}

std::size_t OperatorCall::dimension(std::size_t index, std::size_t rank) const {
  std::int64_t dim = integer(index);
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
  if (dim < 0) dim += most;
  if (dim < 0 || dim >= most) throw Uncounted("a dimension that is not there");
  return static_cast<std::size_t>(dim);
}

std::vector<std::size_t> OperatorCall::read_values() const {
  std::vector<std::size_t> values;
  for (const GraphArg& one : node_->args) add_values(one, values);
  return values;
}

OperatorWork work_of(const OperatorCall& call) {
  const std::string name = call.name();
  for (const auto find : {find_element, find_product, find_view, find_window, find_reduction}) {
    const CountOperator count = find(name);
    if (count == nullptr) continue;
    try {
      OperatorWork work = count(call);
      for (const WorkTensor& result : work.results) check_shape(result);
      if (work.results.size() < call.results()) throw Uncounted("more results than are known");
      return work;
    } catch (const Uncounted& problem) {
      throw Uncounted(fmt::format("{} has {}", call.node().full_name(), problem.what()));
    }
  }
  throw Uncounted(fmt::format("nobody counts the work of {}", call.node().full_name()));
}

}  // namespace kbench
