#include "runner/lint/graph_facts.hpp"

#include <map>
#include <set>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/lint/value_facts.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

using Numbers = std::map<std::string, int>;  // a value's name to its place of definition

// The entry with every value named by its number.
Json renamed(const Json& entry, const Numbers& numbers) {
  if (entry.is_array()) {
    auto list = Json::array();
    for (const Json& item : entry) list.push_back(renamed(item, numbers));
    return list;
  }
  if (entry.is_object() && entry.contains("v")) {
    const auto found = numbers.find(entry.at("v").get<std::string>());
    return {{"v", found == numbers.end() ? -1 : found->second}};
  }
  return entry;
}

// The names of all values among the arguments, in their order.
void list_values(const Json& args, std::vector<std::string>& names) {
  for (const Json& arg : args) {
    if (arg.is_object() && arg.contains("v")) names.push_back(arg.at("v").get<std::string>());
    if (arg.is_array()) list_values(arg, names);
  }
}

// dropout(input, p, train) and its kin draw only when they train.
bool draws_numbers(const std::string& op, const Json& args) {
  static const std::set<std::string_view> kDropouts = {
      "aten::dropout", "aten::feature_dropout", "aten::alpha_dropout",
      "aten::feature_alpha_dropout", "aten::native_dropout"};
  static const std::set<std::string_view> kAlways = {
      "aten::rand",        "aten::rand_like",       "aten::randn",      "aten::randn_like",
      "aten::randint",     "aten::randint_like",    "aten::randperm",   "aten::bernoulli",
      "aten::multinomial", "aten::normal",          "aten::poisson",    "aten::uniform",
      "aten::exponential", "aten::cauchy",          "aten::log_normal", "aten::geometric",
      "aten::binomial",    "aten::rrelu_with_noise"};
  if (kAlways.contains(op)) return true;
  if (!kDropouts.contains(op) || args.size() < 3) return false;
  const bool never = args[1].is_number() && args[1].get<double>() == 0;
  return !never && args[2] != Json(false);
}

void read_nodes(const Json& size, GraphFacts& facts) {
  Numbers numbers;
  int next = 0;
  std::map<std::string, ValueFacts> known;
  Json whole = Json::array();
  Json sequence = Json::array();
  for (const char* list : {"inputs", "parameters"}) {
    for (const Json& tensor : size.at(list)) {
      known[tensor.at("name").get<std::string>()] = facts_of(tensor);
      numbers.emplace(tensor.at("name").get<std::string>(), next++);
      whole.push_back({list, tensor.at("dtype"), tensor.at("shape")});
    }
  }
  for (const Json& node : size.at("nodes")) {
    const auto op = node.at("op").get<std::string>();
    const Json& args = node.at("args");
    std::vector<std::string> names;
    list_values(args, names);
    std::vector<ValueFacts> operands;
    for (const std::string& name : names) operands.push_back(known[name]);
    facts.nodes.push_back({op, !operands.empty() && is_identity(op, args, operands.front())});
    if (draws_numbers(op, args)) facts.random_operators.push_back(op);
    whole.push_back({op, node.at("overload"), renamed(args, numbers)});
    sequence.push_back(op);
    const Json& outs = node.at("outs");
    if (!outs.empty() && outs[0].is_string())
      known[outs[0].get<std::string>()] = facts_after(op, args, operands);
    // A result that nobody uses has a number as well: which of several is used counts.
    for (const Json& out : outs) {
      if (!out.is_null()) numbers.emplace(out.get<std::string>(), next);
      ++next;
    }
  }
  for (const Json& output : size.at("outputs"))
    whole.push_back(numbers.at(output.at("value").get<std::string>()));
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
      return Error{ErrorCode::kNotFound, task_file.string() + " has no size " + size, ""};
    GraphFacts facts;
    read_nodes(json->at("sizes").at(size), facts);
    return facts;
  } catch (const std::exception& error) {  // the library's, for a field that is not there
    return Error{ErrorCode::kBadInput, task_file.string() + ": " + error.what(),
                 "`kbench tasks show` says what is wrong with it"};
  }
}

}  // namespace kbench
