#include "tests/fuzz/hostile_graph.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace kbench::fuzz {
namespace {

constexpr std::size_t kMostNodes = 5;
constexpr std::int64_t kLarge = std::int64_t{1} << 40;  // the largest that the list allows

Json input(const char* name, const char* dtype, Json shape, Json draw) {
  return {{"name", name}, {"dtype", dtype}, {"shape", std::move(shape)}, {"draw", std::move(draw)}};
}

Json task_of(Json nodes, const std::string& output) {
  const Json normal{{"kind", "normal"}, {"a", 0.0}, {"b", 1.0}};
  Json size{{"inputs",
             {input("x", "float32", {2, 3, 8, 8}, normal), input("z", "float32", {8, 8}, normal),
              // Beyond the ends of x and z as well.
              input("i", "int64", {4}, {{"kind", "integers"}, {"a", -9}, {"b", 12}})}},
            {"parameters",
             {input("w", "float32", {3, 3, 3, 3}, normal), input("b", "float32", {3}, normal)}},
            {"nodes", std::move(nodes)},
            {"outputs", {{{"name", "y"}, {"value", output}, {"dtype", "float32"}, {"shape", {1}}}}},
            {"peak_bytes_fp32", 4096},
            {"peak_bytes_fp64", 8192},
            {"flops", 0}};
  for (Json& parameter : size["parameters"]) parameter["fqn"] = parameter["name"];
  return {{"schema", "kbench-task/1"},
          {"level", 1},
          {"number", 900},
          {"name", "hostile"},
          {"title", "Means harm."},
          {"mode", "batch-stats"},
          {"entry", "forward"},
          {"source", "900_hostile.py"},
          {"torch", "2.11.0"},
          {"sizes", {{"small", std::move(size)}}}};
}

Json node(const std::string& op, const std::string& overload, Json args, Json outs) {
  return {{"op", op}, {"overload", overload}, {"args", std::move(args)}, {"outs", std::move(outs)}};
}

Json named(const std::string& name) { return {{"v", name}}; }

// One number of all values.
std::string add_up(Json& nodes, const std::vector<std::string>& values) {
  std::string total;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string sum = fmt::format("sum{}", i);
    nodes.push_back(
        node("aten::sum", "", {named(values[i]), {{"dtype", "real"}}}, Json::array({sum})));
    if (total.empty()) {
      total = sum;
      continue;
    }
    const std::string both = fmt::format("total{}", i);
    nodes.push_back(
        node("aten::add", "Tensor", {named(total), named(sum), 1}, Json::array({both})));
    total = both;
  }
  nodes.push_back(
      node("aten::reshape", "", {named(total), Json::array({1})}, Json::array({"whole"})));
  return "whole";
}

}  // namespace

std::vector<ForeignOperator> read_schemas(const std::string& file) {
  std::vector<ForeignOperator> read;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    ForeignOperator one;
    std::string results;
    std::getline(fields, one.op, '\t');
    std::getline(fields, one.overload, '\t');
    std::getline(fields, results, '\t');
    one.results = std::stoul(results);
    for (std::string type; std::getline(fields, type, '\t');) one.arguments.push_back(type);
    read.push_back(std::move(one));
  }
  return read;
}

HostileGraphs::HostileGraphs(std::vector<ForeignOperator> foreign, std::vector<std::string> paths)
    : listed_(OperatorTable::known().names()),
      foreign_(std::move(foreign)),
      paths_(std::move(paths)) {
  std::copy_if(foreign_.begin(), foreign_.end(), std::back_inserter(with_text_),
               [](const ForeignOperator& one) {
                 return std::any_of(
                     one.arguments.begin(), one.arguments.end(),
                     [](const std::string& type) { return type.starts_with("str"); });
               });
}

Json HostileGraphs::value() { return named(one_of(values_)); }

Json HostileGraphs::own_value() { return own_.empty() ? value() : named(one_of(own_)); }

// None between: what takes gigabytes proves nothing and costs the machine.
Json HostileGraphs::integer() {
  static const std::vector<std::int64_t> kOdd{0, -1, -2, 5, 7, kLarge, -kLarge, kLarge - 1};
  return once_in(4) ? one_of(kOdd) : static_cast<std::int64_t>(below(4));
}

Json HostileGraphs::number() {
  static const std::vector<Json> kOdd{
      0,    -1,     1e308, -1e-308, {{"float", "nan"}}, {{"float", "inf"}},
      true, kLarge, 0.5,   -kLarge, {{"float", "-inf"}}};
  return once_in(3) ? one_of(kOdd) : Json(1.5);
}

Json HostileGraphs::dtype() {
  static const std::vector<Json> kTypes{"real",       "float64",   "float32", "float16", "bfloat16",
                                        "complex128", "complex64", "int64",   "int32",   "int16",
                                        "int8",       "uint8",     "bool"};
  return {{"dtype", once_in(2) ? Json("real") : one_of(kTypes)}};
}

Json HostileGraphs::list_of(std::size_t most, Json (HostileGraphs::*item)()) {
  Json list = Json::array();
  for (std::size_t i = 0, count = below(most + 1); i < count; ++i) list.push_back((this->*item)());
  return list;
}

Json HostileGraphs::anything() {
  static const std::vector<Json> kThings{nullptr,
                                         true,
                                         -1,
                                         INT64_MAX,
                                         INT64_MIN,
                                         1e308,
                                         "none",
                                         Json::array(),
                                         Json::object(),
                                         Json(std::vector<int>(10'000, 1)),
                                         {{"scalar", 1.5}},
                                         {{"dtype", "__class__"}},
                                         {{"device", "cuda:99"}},
                                         {{"layout", "sparse"}},
                                         {{"memory_format", "preserve"}},
                                         {{"v", "ghost"}}};
  if (once_in(4)) return one_of(paths_);
  return once_in(3) ? value() : one_of(kThings);
}

Json HostileGraphs::fitting(const ArgRule& rule, std::size_t tensors) {
  static const std::vector<std::string> kTerms{"ij", "ii", "...", "i...", "abcd", "jk", ""};
  static const std::vector<std::int64_t> kBounds{0, 1, -1, 7, 100, kLarge};
  if (rule.optional && once_in(2)) return nullptr;
  switch (rule.kind) {
    case ArgKind::kTensor: return value();
    case ArgKind::kWritten: return own_value();
    case ArgKind::kTensorOrNumber: return once_in(3) ? Json{{"scalar", number()}} : value();
    case ArgKind::kTensors: {
      Json list = Json::array();
      for (std::size_t i = 0; i < tensors; ++i) list.push_back(value());
      return list;
    }
    case ArgKind::kTensorsOrNulls: {
      Json list = list_of(3, &HostileGraphs::value);
      if (once_in(2)) list.insert(list.begin(), nullptr);
      return list;
    }
    case ArgKind::kInt: return integer();
    case ArgKind::kIndex: return once_in(8) ? Json(once_in(2) ? INT64_MAX : INT64_MIN) : integer();
    case ArgKind::kInts: return list_of(5, &HostileGraphs::integer);
    case ArgKind::kShape: {
      Json list = Json::array();
      for (std::size_t i = 0, count = below(6); i < count; ++i)
        list.push_back(static_cast<std::int64_t>(below(6)) - 1);
      if (once_in(8)) list.push_back(kLarge);
      return list;
    }
    case ArgKind::kCount: return once_in(6) ? Json(kLarge) : Json(below(9));
    case ArgKind::kRange: return one_of(kBounds);
    case ArgKind::kFloat:
    case ArgKind::kNumber: {
      Json drawn = number();
      return drawn.is_boolean() && rule.kind == ArgKind::kFloat ? Json(0.25) : drawn;
    }
    case ArgKind::kFloats: return list_of(4, &HostileGraphs::number);
    case ArgKind::kBool:
    case ArgKind::kTraining: return once_in(2);
    case ArgKind::kDType: return dtype();
    case ArgKind::kDevice: return {{"device", true}};
    case ArgKind::kLayout: return {{"layout", "strided"}};
    case ArgKind::kMemoryFormat:
      return {{"memory_format", once_in(2) ? "channels_last" : "contiguous"}};
    case ArgKind::kOff: return once_in(2) ? Json(false) : Json(nullptr);
    case ArgKind::kNull: return nullptr;
    case ArgKind::kZero: return 0.0;
    case ArgKind::kWord: return one_of(rule.words);
    case ArgKind::kEquation: {
      std::string terms;
      for (std::size_t i = 0; i < tensors; ++i) terms += (i > 0 ? "," : "") + one_of(kTerms);
      return terms + (once_in(2) ? "->" : "");
    }
    case ArgKind::kStatistics: return once_in(2) ? Json(nullptr) : value();
  }
  return nullptr;
}

Json HostileGraphs::of_type(const std::string& type) {
  if (type.ends_with("?"))
    return once_in(2) ? Json(nullptr) : of_type(type.substr(0, type.size() - 1));
  if (type.ends_with("[]")) {
    Json list = Json::array();
    for (std::size_t i = 0, count = below(4); i < count; ++i)
      list.push_back(of_type(type.substr(0, type.size() - 2)));
    return list;
  }
  if (type == "Tensor") return once_in(3) ? own_value() : value();
  if (type == "int" || type == "SymInt") return integer();
  if (type == "float" || type == "number" || type == "Scalar")
    return once_in(2) ? Json(1.5) : integer();
  if (type == "bool") return once_in(2);
  if (type == "str") return one_of(paths_);
  if (type == "Device") return {{"device", true}};
  if (type == "ScalarType") return dtype();
  return nullptr;
}

void HostileGraphs::add_node(Json& nodes, const std::string& op, const std::string& overload,
                             Json args, std::size_t results, bool owns) {
  Json outs = Json::array();
  for (std::size_t i = 0; i < results; ++i) {
    outs.push_back(fmt::format("v{}_{}", nodes.size(), i));
    values_.push_back(outs.back());
    if (owns) own_.push_back(outs.back());
  }
  nodes.push_back(node(op, overload, std::move(args), std::move(outs)));
}

void HostileGraphs::add_listed(Json& nodes, bool any_argument) {
  const std::string& name = one_of(listed_);
  const OperatorRule& rule = *OperatorTable::known().find(name);
  const std::size_t tensors = 1 + below(3);
  Json args = Json::array();
  for (const ArgRule& arg : rule.args)
    args.push_back(any_argument && once_in(3) ? anything() : fitting(arg, tensors));
  const std::size_t dot = name.find('.');
  const bool owns = rule.results.empty() || rule.results[0].memory == ResultRule::Memory::kOwn;
  add_node(nodes, name.substr(0, dot), dot == name.npos ? "" : name.substr(dot + 1),
           std::move(args), rule.results.size(), owns);
}

void HostileGraphs::add_foreign(Json& nodes, const ForeignOperator& one) {
  Json args = Json::array();
  for (const std::string& type : one.arguments) args.push_back(of_type(type));
  add_node(nodes, one.op, one.overload, std::move(args), one.results, true);
}

void HostileGraphs::begin(std::uint64_t seed) {
  random_.seed(seed);
  values_ = {"x", "z", "i", "w", "b"};
  own_.clear();
}

Json HostileGraphs::foreign_task(std::uint64_t seed) {
  begin(seed);
  Json nodes = Json::array();
  const auto from_file = std::find_if(foreign_.begin(), foreign_.end(), [](const auto& one) {
    return one.op == "aten::from_file" && one.overload.empty();
  });
  if (once_in(8) && from_file != foreign_.end())
    add_foreign(nodes, *from_file);
  else
    add_foreign(nodes, one_of(once_in(2) ? with_text_ : foreign_));
  // Memory that from_file maps is written to.
  if (!own_.empty()) add_node(nodes, "aten::fill_", "Scalar", {own_value(), 1}, 1, true);
  const std::string whole = add_up(nodes, own_.empty() ? values_ : own_);
  return task_of(std::move(nodes), whole);
}

Json HostileGraphs::task(std::uint64_t seed) {
  begin(seed);
  const bool listed_only = seed % 2 == 0;
  Json nodes = Json::array();
  for (std::size_t i = 0, count = 1 + below(kMostNodes); i < count; ++i) {
    if (listed_only || foreign_.empty() || once_in(3))
      add_listed(nodes, !listed_only);
    else
      add_foreign(nodes, one_of(foreign_));
  }
  const std::string whole = add_up(nodes, values_);
  return task_of(std::move(nodes), whole);
}

Json HostileGraphs::harmless() {
  Json nodes = Json::array();
  const std::string whole = add_up(nodes, {"x", "z", "i", "w", "b"});
  return task_of(std::move(nodes), whole);
}

}  // namespace kbench::fuzz
