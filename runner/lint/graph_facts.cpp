#include "runner/lint/graph_facts.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/lint/value_facts.hpp"
#include "runner/task/graph.hpp"

namespace kbench {
namespace {

// The argument as the task file has it, but every value by its number.
Json numbered(const GraphArg& arg, const std::vector<int>& numbers);

// JSON has no infinity.
Json real(double value) {
  return std::isfinite(value) ? Json(value) : Json{{"float", fmt::format("{}", value)}};
}

struct Numbering {
  const std::vector<int>& numbers;

  Json operator()(std::monostate) const { return {}; }
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return real(value); }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const GraphValue& value) const { return {{"v", numbers[value.index]}}; }
  Json operator()(const GraphScalar& scalar) const {
    return {{"scalar", std::visit([this](auto number) { return (*this)(number); }, scalar.number)}};
  }
  Json operator()(GraphWorkingDType) const { return {{"dtype", "real"}}; }
  Json operator()(const GraphDType& dtype) const { return {{"dtype", dtype.name}}; }
  Json operator()(GraphDevice) const { return {{"device", true}}; }
  Json operator()(const GraphLayout& layout) const { return {{"layout", layout.name}}; }
  Json operator()(const GraphMemoryFormat& format) const {
    return {{"memory_format", format.name}};
  }
  Json operator()(const GraphList& list) const {
    auto items = Json::array();
    for (const GraphArg& item : list) items.push_back(numbered(item, numbers));
    return items;
  }
};

Json numbered(const GraphArg& arg, const std::vector<int>& numbers) {
  return std::visit(Numbering{numbers}, arg.value);
}

// All values among the arguments, in their order.
void list_values(const std::vector<GraphArg>& args, std::vector<std::size_t>& values) {
  for (const GraphArg& arg : args) {
    if (const auto* value = std::get_if<GraphValue>(&arg.value)) values.push_back(value->index);
    if (const auto* list = std::get_if<GraphList>(&arg.value)) list_values(*list, values);
  }
}

// dropout(input, p, train) and its kin draw only when they train.
bool draws_numbers(const GraphNode& node) {
  static const std::set<std::string_view> kDropouts = {
      "aten::dropout", "aten::feature_dropout", "aten::alpha_dropout",
      "aten::feature_alpha_dropout", "aten::native_dropout"};
  static const std::set<std::string_view> kAlways = {
      "aten::rand",        "aten::rand_like",       "aten::randn",      "aten::randn_like",
      "aten::randint",     "aten::randint_like",    "aten::randperm",   "aten::bernoulli",
      "aten::multinomial", "aten::normal",          "aten::poisson",    "aten::uniform",
      "aten::exponential", "aten::cauchy",          "aten::log_normal", "aten::geometric",
      "aten::binomial",    "aten::rrelu_with_noise"};
  if (kAlways.contains(node.op)) return true;
  if (!kDropouts.contains(node.op) || node.args.size() < 3) return false;
  return node.args[1].number() != 0 && !node.args[2].is(false);
}

void read_nodes(const Json& size, const Graph& graph, GraphFacts& facts) {
  std::vector<int> numbers(graph.value_names.size(), -1);  // order: as they are defined
  std::vector<ValueFacts> known(graph.value_names.size());
  int next = 0;
  Json whole = Json::array();
  Json sequence = Json::array();
  for (const char* list : {"inputs", "parameters"}) {
    for (const Json& tensor : size.at(list)) {
      const auto value = static_cast<std::size_t>(next);  // they are a graph's first values
      known[value] = facts_of(tensor);
      numbers[value] = next++;
      whole.push_back({list, tensor.at("dtype"), tensor.at("shape")});
    }
  }
  for (const GraphNode& node : graph.nodes) {
    std::vector<std::size_t> values;
    list_values(node.args, values);
    std::vector<ValueFacts> operands;
    for (const std::size_t value : values) operands.push_back(known[value]);
    facts.nodes.push_back({node.op, !operands.empty() && is_identity(node, operands.front())});
    if (draws_numbers(node)) facts.random_operators.push_back(node.op);
    whole.push_back({node.op, node.overload, Numbering{numbers}(node.args)});
    sequence.push_back(node.op);
    if (!node.outs.empty() && node.outs[0] != GraphNode::kUnread)
      known[node.outs[0]] = facts_after(node, operands);
    // An unused result has a number as well: which of several is used counts.
    for (const std::size_t out : node.outs) {
      if (out != GraphNode::kUnread) numbers[out] = next;
      ++next;
    }
  }
  for (const GraphValue& output : graph.outputs) whole.push_back(numbers[output.index]);
  facts.fingerprint = sha256(whole.dump());
  facts.sequence = sha256(sequence.dump());
}

}  // namespace

Result<GraphFacts> read_graph_facts(const std::filesystem::path& task_file,
                                    const std::string& size) {
  auto json = read_strict_json(task_file);
  if (!json) return json.error();
  try {
    if (!json->at("sizes").contains(size))
      return Error{ErrorCode::kNotFound, task_file.string() + " has no size " + size,
                   "`kbench tasks show` lists its sizes"};
    const Json& chosen = json->at("sizes").at(size);
    const auto graph = parse_size_graph(chosen);
    if (!graph) throw std::runtime_error(graph.error().message);
    GraphFacts facts;
    read_nodes(chosen, *graph, facts);
    return facts;
  } catch (const std::exception& error) {  // the library's, for a field that is not there
    return Error{ErrorCode::kBadInput, task_file.string() + ": " + error.what(),
                 "`kbench tasks show` says what is wrong with it"};
  }
}

}  // namespace kbench
