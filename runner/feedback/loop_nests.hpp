// Loops of a C++ or CUDA source, how they nest and what lies in them. A tolerant reading: where one
// semicolon, brace or parenthesis is left out, the indentation tells where the statement ends, and
// the line is named. Any text is read; a source that is no program has fewer loops. Pure.
//
// The texts in it are parts of the source: foreign, and cut short.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/feedback/brace_repair.hpp"

namespace kbench {

struct Loop {
  int line = 0;
  int last_line = 0;
  int parent = -1;       // place of the loop around it in the list; -1: none
  int depth = 1;         // 1: outermost
  std::string kind;      // "for", "while", "do"
  std::string head;      // "int i = 0; i < n; ++i"
  std::string function;  // empty: none is known
  // Parts that stand in it but in no loop within it, each once:
  std::vector<std::string> subscripts;  // "y[i * n + j]"
  std::vector<std::string> calls;       // "__syncthreads"

  [[nodiscard]] bool operator==(const Loop&) const = default;
};

struct LoopReading {
  std::vector<Loop> loops;  // sorted by line
  std::vector<Omission> left_out;
};

[[nodiscard]] LoopReading read_loops(std::string_view source);

}  // namespace kbench
