// A task's tensors as the probes (data/probe) read them: tables in C++, and a file of the values
// that the task stores. Pure.
#pragma once

#include <string>

#include "runner/task/task.hpp"

namespace kbench {

struct ProbeTables {
  std::string header;  // tensors.h
  std::string stored;  // doubles, as they lie in memory
};
[[nodiscard]] ProbeTables probe_tables(const TaskSize& size);

}  // namespace kbench
