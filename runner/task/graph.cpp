#include "runner/task/graph.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "runner/core/strict_json.hpp"
#include "runner/task/operator_check.hpp"
#include "runner/task/plain_text.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxName = 200;

// Thrown inside this file only; parse_graph turns it into an Error with the place in front.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Parser {
 public:
  Graph parse(const Json& size);

 private:
  GraphArg parse_entry(const Json& entry);
  GraphArg parse_arg(const Json& entry);
  GraphArg parse_tagged(const std::string& tag, const Json& content);
  GraphNode parse_node(const Json& node);
  std::size_t define(const std::string& name);
  [[nodiscard]] std::size_t find(const std::string& name) const;

  Graph graph_;
  std::optional<OperatorCheck> check_;  // none until inputs and parameters are known
  std::unordered_map<std::string, std::size_t> indices_;
};

// A foreign entry in a message: short, in ASCII, and whatever is in it is not looked into.
std::string shown(const Json& entry) {
  constexpr std::size_t kLimit = 80;
  if (entry.is_structured()) return entry.type_name();
  const std::string text =
      entry.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return text.size() <= kLimit ? text : text.substr(0, kLimit) + "...";
}

std::string text(const Json& entry, const char* what) {
  if (!entry.is_string())
    throw Malformed(fmt::format("{} is not a string: {}", what, shown(entry)));
  if (entry.get_ref<const std::string&>().size() > kMaxName)
    throw Malformed(fmt::format("{} is longer than {} bytes", what, kMaxName));
  return entry.get<std::string>();
}

const Json& member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name))
    throw Malformed(fmt::format("there is no \"{}\"", name));
  return object.at(name);
}

const Json& array(const Json& object, const char* name) {
  const Json& found = member(object, name);
  if (!found.is_array()) throw Malformed(fmt::format("\"{}\" is not a list", name));
  return found;
}

double special_float(const std::string& name) {
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw Malformed(fmt::format("{} is none of inf, -inf, nan", shown(name)));
}

std::int64_t integer(const Json& number) {
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    throw Malformed(fmt::format("{} is larger than an integer of 64 bits", shown(number)));
  return number.get<std::int64_t>();
}

GraphScalar scalar(const Json& number) {
  if (number.is_boolean()) return {number.get<bool>()};
  if (number.is_number_integer()) return {integer(number)};
  if (number.is_number_float()) return {number.get<double>()};
  if (number.is_object() && number.size() == 1 && number.contains("float"))
    return {special_float(text(number.at("float"), "float"))};
  throw Malformed(fmt::format("not a number: {}", shown(number)));
}

std::size_t Parser::define(const std::string& name) {
  if (!is_identifier(name))
    throw Malformed(fmt::format("{} is no name: letters, digits and _ only", shown(name)));
  const std::size_t index = graph_.value_names.size();
  if (!indices_.emplace(name, index).second)
    throw Malformed(fmt::format("value {} is defined twice", shown(name)));
  graph_.value_names.push_back(name);
  return index;
}

std::size_t Parser::find(const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end())
    throw Malformed(fmt::format("value {} is read before anything defines it", shown(name)));
  return found->second;
}

GraphArg Parser::parse_arg(const Json& entry) {
  if (!entry.is_array()) return parse_entry(entry);
  if (entry.size() > kMaxTensors)
    throw Malformed(fmt::format("a list of {} entries, more than {}", entry.size(), kMaxTensors));
  GraphList list;
  for (const Json& item : entry) list.push_back(parse_entry(item));
  return {std::move(list)};
}

// Parses an entry of a list, which is no list: there are none in lists.
GraphArg Parser::parse_entry(const Json& entry) {
  switch (entry.type()) {
    case Json::value_t::null: return {};
    case Json::value_t::boolean: return {entry.get<bool>()};
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return {integer(entry)};
    case Json::value_t::number_float: return {entry.get<double>()};
    case Json::value_t::string: return {text(entry, "an argument")};
    case Json::value_t::object:
      if (entry.size() == 1) return parse_tagged(entry.begin().key(), entry.begin().value());
      break;
    default: break;
  }
  throw Malformed(fmt::format("unknown argument {}", shown(entry)));
}

GraphArg Parser::parse_tagged(const std::string& tag, const Json& content) {
  if (tag == "v") return {GraphValue{find(text(content, "v")), false}};
  if (tag == "scalar") return {scalar(content)};
  if (tag == "float") return {special_float(text(content, "float"))};
  if (tag == "dtype") {
    std::string name = text(content, "dtype");
    if (name == "real") return {GraphWorkingDType{}};
    return {GraphDType{std::move(name)}};
  }
  if (tag == "device" && content == true) return {GraphDevice{}};
  if (tag == "layout") return {GraphLayout{text(content, "layout")}};
  if (tag == "memory_format") return {GraphMemoryFormat{text(content, "memory_format")}};
  throw Malformed(fmt::format("unknown argument {{{}: {}}}", shown(tag), shown(content)));
}

GraphNode Parser::parse_node(const Json& node) {
  GraphNode parsed;
  parsed.op = text(member(node, "op"), "op");
  parsed.overload = text(member(node, "overload"), "overload");
  for (const Json& entry : array(node, "args")) parsed.args.push_back(parse_arg(entry));
  for (const Json& name : array(node, "outs"))
    parsed.outs.push_back(name.is_null() ? GraphNode::kUnread : define(text(name, "outs")));
  if (const auto problem = check_->problem_with(parsed)) throw Malformed(*problem);
  return parsed;
}

Graph Parser::parse(const Json& size) {
  for (const Json& input : array(size, "inputs")) define(text(member(input, "name"), "name"));
  graph_.inputs = graph_.value_names.size();
  for (const Json& parameter : array(size, "parameters"))
    define(text(member(parameter, "name"), "name"));
  graph_.parameters = graph_.value_names.size() - graph_.inputs;

  check_.emplace(graph_.value_names.size());
  if (array(size, "nodes").size() > kMaxNodes)
    throw Malformed(fmt::format("more than {} nodes", kMaxNodes));
  for (const Json& node : array(size, "nodes")) {
    try {
      graph_.nodes.push_back(parse_node(node));
    } catch (const Malformed& error) {
      // The operator is not read by Json::value, which copies: foreign nesting has no bottom.
      const auto op = node.is_object() ? node.find("op") : node.end();
      throw Malformed(fmt::format("node {} ({}): {}", graph_.nodes.size(),
                                  op == node.end() ? "?" : shown(*op), error.what()));
    }
  }
  for (const Json& output : array(size, "outputs"))
    graph_.outputs.push_back({find(text(member(output, "value"), "value")), false});
  if (graph_.outputs.empty()) throw Malformed("there is no output");
  return std::move(graph_);
}

// Calls `visit` with every value reference of an argument, from the last to the first.
template <class Visit>
void visit_backwards(GraphArg& arg, const Visit& visit) {
  if (auto* value = std::get_if<GraphValue>(&arg.value)) visit(*value);
  if (auto* list = std::get_if<GraphList>(&arg.value))
    for (auto item = list->rbegin(); item != list->rend(); ++item) visit_backwards(*item, visit);
}

// True for a node whose result is never read and that does not write to what others read. Eager
// would be timed with it.
bool is_dead(const GraphNode& node) {
  return !node.op.ends_with('_') &&
         std::all_of(node.outs.begin(), node.outs.end(),
                     [](std::size_t out) { return out == GraphNode::kUnread; });
}

// Leaves dead nodes out, with all that is made for them alone.
void mark_last_uses(Graph& graph) {
  std::vector<bool> read_later(graph.value_names.size(), false);
  const auto visit = [&](GraphValue& value) {
    value.last_use = !read_later[value.index];
    read_later[value.index] = true;
  };
  for (auto output = graph.outputs.rbegin(); output != graph.outputs.rend(); ++output)
    visit(*output);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    // A value that no later node reads must not be kept either.
    for (std::size_t& out : node->outs)
      if (out != GraphNode::kUnread && !read_later[out]) out = GraphNode::kUnread;
    if (is_dead(*node)) continue;
    for (auto arg = node->args.rbegin(); arg != node->args.rend(); ++arg)
      visit_backwards(*arg, visit);
  }
  std::erase_if(graph.nodes, is_dead);
}

}  // namespace

std::optional<double> GraphArg::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

bool GraphArg::is(bool wanted) const {
  const auto* given = std::get_if<bool>(&value);
  return given != nullptr && *given == wanted;
}

std::string GraphNode::full_name() const { return overload.empty() ? op : op + "." + overload; }

Result<Graph> parse_graph(const Json& task, const std::string& size) {
  constexpr auto kHint = "lower the task again with suites/lower.py";
  try {
    const std::string schema = text(member(task, "schema"), "schema");
    if (schema != "kbench-task/1")
      throw Malformed(fmt::format("schema \"{}\" is not kbench-task/1", schema));
    const Json& sizes = member(task, "sizes");
    if (!sizes.is_object() || !sizes.contains(size))
      return Error{ErrorCode::kNotFound, fmt::format("the task has no size \"{}\"", size),
                   "`kbench tasks show` lists its sizes"};
    auto graph = parse_size_graph(sizes.at(size));
    if (graph) return graph;
    return Error{graph.error().code, fmt::format("size {}: {}", size, graph.error().message),
                 kHint};
  } catch (const std::exception& error) {  // Malformed, and nlohmann's own
    return Error{ErrorCode::kBadInput, fmt::format("size {}: {}", size, error.what()), kHint};
  }
}

Result<Graph> parse_size_graph(const Json& size) {
  try {
    Graph graph = Parser().parse(size);
    mark_last_uses(graph);
    return graph;
  } catch (const std::exception& error) {
    return Error{ErrorCode::kBadInput, error.what(), ""};
  }
}

Result<Graph> load_graph(const std::filesystem::path& task_file, const std::string& size) {
  const auto text = read_bounded_file(task_file, JsonLimits{}.max_bytes);
  if (!text) return text.error();
  const Json task = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (task.is_discarded())
    return Error{ErrorCode::kBadInput, task_file.string() + " is not JSON",
                 "lower or import the task again"};
  auto graph = parse_graph(task, size);
  if (graph) return graph;
  Error error = graph.error();
  error.message = task_file.string() + ": " + error.message;
  return error;
}

}  // namespace kbench
