// One size of a lowered task as a graph in memory: nodes, arguments, and where every value is used
// for the last time. No LibTorch: what operators there are and what they take is said by a list
// (operator_check.hpp). Format: suites/FORMAT.md. Invariants of a parsed graph: it may run, even if
// its author is hostile; a value is defined before it is read, and defined once; each value that is
// read has exactly one reference with last_use set, its last one in execution order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// A tensor: an index into Graph::value_names.
struct GraphValue {
  std::size_t index = 0;
  bool last_use = false;
};

// A Python number where the schema has a Tensor.
struct GraphScalar {
  std::variant<bool, std::int64_t, double> number;
};

struct GraphWorkingDType {};  // float32, or float64 in the reference run
struct GraphDevice {};        // the device the graph runs on
struct GraphDType {
  std::string name;  // "int64"
};
struct GraphLayout {
  std::string name;  // "strided"
};
struct GraphMemoryFormat {
  std::string name;  // "contiguous"
};

struct GraphArg;
using GraphList = std::vector<GraphArg>;

// One argument; std::monostate is None.
struct GraphArg {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, GraphValue, GraphScalar,
               GraphWorkingDType, GraphDType, GraphDevice, GraphLayout, GraphMemoryFormat,
               GraphList>
      value;

  // The argument's value, where it is a number; whether it is this bool.
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] bool is(bool wanted) const;
};

struct GraphNode {
  static constexpr std::size_t kUnread = static_cast<std::size_t>(-1);

  std::string op;        // "aten::linear"
  std::string overload;  // "" for the default one
  std::vector<GraphArg> args;
  std::vector<std::size_t> outs;  // value indices, kUnread for a tensor that no node reads

  // "aten::gru.input", as LibTorch writes it.
  [[nodiscard]] std::string full_name() const;
};

struct Graph {
  std::size_t inputs = 0;      // values [0, inputs)
  std::size_t parameters = 0;  // values [inputs, inputs + parameters)
  std::vector<std::string> value_names;
  std::vector<GraphNode> nodes;
  std::vector<GraphValue> outputs;

  [[nodiscard]] bool is_parameter(std::size_t value) const {
    return value >= inputs && value < inputs + parameters;
  }
};

// Errors: kBadInput, naming the node and the entry that is wrong; kNotFound for an unknown size.
// The last takes one size alone, {"inputs": …, "nodes": …}.
[[nodiscard]] Result<Graph> parse_graph(const Json& task, const std::string& size);
[[nodiscard]] Result<Graph> load_graph(const std::filesystem::path& task_file,
                                       const std::string& size);
[[nodiscard]] Result<Graph> parse_size_graph(const Json& size);

}  // namespace kbench
