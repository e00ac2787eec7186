#include "runner/task/graph.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

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
  GraphArg parse_arg(const Json& entry);
  GraphArg parse_tagged(const std::string& tag, const Json& content);
  GraphNode parse_node(const Json& node);
  std::size_t define(const std::string& name);
  [[nodiscard]] std::size_t find(const std::string& name) const;

  Graph graph_;
  std::unordered_map<std::string, std::size_t> indices_;
};

std::string text(const Json& entry, const char* what) {
  if (!entry.is_string())
    throw Malformed(fmt::format("{} is not a string: {}", what, entry.dump()));
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
  throw Malformed(fmt::format("\"{}\" is none of inf, -inf, nan", name));
}

GraphScalar scalar(const Json& number) {
  if (number.is_boolean()) return {number.get<bool>()};
  if (number.is_number_integer()) return {number.get<std::int64_t>()};
  if (number.is_number_float()) return {number.get<double>()};
  if (number.is_object() && number.size() == 1 && number.contains("float"))
    return {special_float(text(number.at("float"), "float"))};
  throw Malformed(fmt::format("not a number: {}", number.dump()));
}

std::size_t Parser::define(const std::string& name) {
  const std::size_t index = graph_.value_names.size();
  if (!indices_.emplace(name, index).second)
    throw Malformed(fmt::format("value \"{}\" is defined twice", name));
  graph_.value_names.push_back(name);
  return index;
}

std::size_t Parser::find(const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end())
    throw Malformed(fmt::format("value \"{}\" is read before anything defines it", name));
  return found->second;
}

GraphArg Parser::parse_arg(const Json& entry) {
  switch (entry.type()) {
    case Json::value_t::null: return {};
    case Json::value_t::boolean: return {entry.get<bool>()};
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return {entry.get<std::int64_t>()};
    case Json::value_t::number_float: return {entry.get<double>()};
    case Json::value_t::string: return {entry.get<std::string>()};
    case Json::value_t::array: {
      GraphList list;
      for (const Json& item : entry) list.push_back(parse_arg(item));
      return {std::move(list)};
    }
    case Json::value_t::object:
      if (entry.size() == 1) return parse_tagged(entry.begin().key(), entry.begin().value());
      break;
    default: break;
  }
  throw Malformed(fmt::format("unknown argument {}", entry.dump()));
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
  throw Malformed(fmt::format("unknown argument {{\"{}\": {}}}", tag, content.dump()));
}

GraphNode Parser::parse_node(const Json& node) {
  GraphNode parsed;
  parsed.op = text(member(node, "op"), "op");
  if (parsed.op.find("::") == std::string::npos)
    throw Malformed(fmt::format("\"{}\" is not namespace::name", parsed.op));
  parsed.overload = text(member(node, "overload"), "overload");
  for (const Json& entry : array(node, "args")) parsed.args.push_back(parse_arg(entry));
  for (const Json& name : array(node, "outs"))
    parsed.outs.push_back(name.is_null() ? GraphNode::kUnread : define(text(name, "outs")));
  return parsed;
}

Graph Parser::parse(const Json& size) {
  for (const Json& input : array(size, "inputs")) define(text(member(input, "name"), "name"));
  graph_.inputs = graph_.value_names.size();
  for (const Json& parameter : array(size, "parameters"))
    define(text(member(parameter, "name"), "name"));
  graph_.parameters = graph_.value_names.size() - graph_.inputs;

  for (const Json& node : array(size, "nodes")) {
    try {
      graph_.nodes.push_back(parse_node(node));
    } catch (const Malformed& error) {
      const std::string op = node.is_object() ? node.value("op", Json("?")).dump() : "?";
      throw Malformed(fmt::format("node {} ({}): {}", graph_.nodes.size(), op, error.what()));
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

void mark_last_uses(Graph& graph) {
  std::vector<bool> read_later(graph.value_names.size(), false);
  const auto visit = [&](GraphValue& value) {
    value.last_use = !read_later[value.index];
    read_later[value.index] = true;
  };
  for (auto output = graph.outputs.rbegin(); output != graph.outputs.rend(); ++output)
    visit(*output);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    // What nobody reads later must not be kept either.
    for (std::size_t& out : node->outs)
      if (out != GraphNode::kUnread && !read_later[out]) out = GraphNode::kUnread;
    for (auto arg = node->args.rbegin(); arg != node->args.rend(); ++arg)
      visit_backwards(*arg, visit);
  }
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
      return Error{ErrorCode::kNotFound, fmt::format("the task has no size \"{}\"", size), ""};
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
  std::ifstream stream(task_file);
  if (!stream) return Error{ErrorCode::kNotFound, "cannot read " + task_file.string(), ""};
  const Json task = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (task.is_discarded())
    return Error{ErrorCode::kBadInput, task_file.string() + " is not JSON", ""};
  auto graph = parse_graph(task, size);
  if (graph) return graph;
  Error error = graph.error();
  error.message = task_file.string() + ": " + error.message;
  return error;
}

}  // namespace kbench
