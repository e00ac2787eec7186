// Facts of a task's graph, without running it: its operators, whether it draws random numbers, and
// two fingerprints by which copies of a task are found. Reads the file's JSON, knows no LibTorch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct GraphNodeFacts {
  std::string op;          // "aten::relu"
  bool redundant = false;  // leaving it out is correct for all values: see value_facts.hpp
};

struct GraphFacts {
  std::vector<GraphNodeFacts> nodes;
  std::vector<std::string> random_operators;  // operators that draw numbers when called; in order
  // Equal for two tasks with the same operators, constants, shapes and wiring, however their values
  // are called; parameters' and inputs' distributions do not count.
  std::string fingerprint;
  // Equal for two tasks with the same operators in the same order.
  std::string sequence;
};

// Errors: those of reading the file; kNotFound without that size.
[[nodiscard]] Result<GraphFacts> read_graph_facts(const std::filesystem::path& task_file,
                                                  const std::string& size);

}  // namespace kbench
