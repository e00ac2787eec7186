// The likely cause of a wrong output, for its author: zeros, a multiple of what is right, half
// precision, values of something else. A guess from the sums of the comparison, which says so.
#pragma once

#include <string>

#include "runner/backend/backend.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The likely cause, as in "all of it is about 2 times what it should be"; empty where it looks like
// nothing known.
[[nodiscard]] std::string likely_cause(const TensorSpec& output, const CompareResult& result);

}  // namespace kbench
