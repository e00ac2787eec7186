// Words for how a tensor of a task is filled.
#pragma once

#include <string>

#include "runner/task/task.hpp"

namespace kbench {

// "uniform [0, 1)", "normal, mean 0, sd 1 on and below diagonal 0, else 0".
[[nodiscard]] std::string draw_words(const Draw& draw);

}  // namespace kbench
