// Task files whose graphs mean harm. Half of them hold operators of the list (suites/operators.txt)
// alone, with arguments of the right kind and odd values, so that they are executed; the other half
// hold whatever else LibTorch has, or arguments of any kind. The same seed gives the same graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/task/operator_table.hpp"

namespace kbench::fuzz {

// An operator that is not on the list, by PyTorch's schema.
struct ForeignOperator {
  std::string op;                      // "aten::from_file"
  std::string overload;                // "" for the default one
  std::vector<std::string> arguments;  // "Tensor", "int[]", "str?", …
  std::size_t results = 1;
};

// A line of all_schemas.py: OP TAB OVERLOAD TAB RESULTS TAB ARGUMENT…
[[nodiscard]] std::vector<ForeignOperator> read_schemas(const std::string& file);

class HostileGraphs {
 public:
  // `paths` are files that a graph might want to read or write.
  HostileGraphs(std::vector<ForeignOperator> foreign, std::vector<std::string> paths);

  // A task with one size, "small". Every value of the graph is read, so that no node is left out.
  [[nodiscard]] Json task(std::uint64_t seed);
  // One operator that is not on the list, every other time one that takes text, and what it made is
  // used.
  [[nodiscard]] Json foreign_task(std::uint64_t seed);
  // The same inputs, and nothing that could go wrong.
  [[nodiscard]] static Json harmless();

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool once_in(std::size_t times) { return below(times) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  Json value();
  Json own_value();
  Json integer();
  Json number();
  Json dtype();
  Json list_of(std::size_t most, Json (HostileGraphs::*item)());
  Json anything();
  Json fitting(const ArgRule& rule, std::size_t tensors);
  Json of_type(const std::string& type);
  void add_listed(Json& nodes, bool any_argument);
  void add_foreign(Json& nodes, const ForeignOperator& one);
  void begin(std::uint64_t seed);
  void add_node(Json& nodes, const std::string& op, const std::string& overload, Json args,
                std::size_t results, bool owns);

  std::mt19937_64 random_;
  std::vector<std::string> listed_;
  std::vector<ForeignOperator> foreign_;
  std::vector<ForeignOperator> with_text_;
  std::vector<std::string> paths_;
  std::vector<std::string> values_;
  std::vector<std::string> own_;  // those that the graph made
};

}  // namespace kbench::fuzz
