// Whether a graph may run, node by node: by the list of operators (operator_table.hpp), and by
// whose memory is written in place. Task files are untrusted, and their executor calls any operator
// by its name. Invariant: a graph without a problem writes no memory but what its own nodes made,
// names no file, and has no argument that the list does not describe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/task/graph.hpp"

namespace kbench {

class OperatorCheck {
 public:
  // The first `given` values are inputs and parameters.
  explicit OperatorCheck(std::size_t given) : given_(given, true) {}

  // The fault of the graph's next node; nothing: it may run.
  [[nodiscard]] std::optional<std::string> problem_with(const GraphNode& node);

 private:
  [[nodiscard]] bool is_given(const GraphArg& arg) const;

  std::vector<bool> given_;  // whether each value may share memory with an input or a parameter
};

// Whether einsum takes the equation for so many tensors: letters, commas, "...", one "->", blanks.
[[nodiscard]] bool is_equation(std::string_view text, std::size_t tensors);

}  // namespace kbench
