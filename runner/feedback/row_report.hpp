// Reports of the built-in components on a kernel, from the row of its evaluation. Pure.
#pragma once

#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/feedback/component.hpp"

namespace kbench {

// `component` is built in and answers in the row's stratum; in any other it says that it found
// nothing. Never empty. Foreign text: messages of compilers and of the kernel stand in it.
[[nodiscard]] std::string row_report(const Component& component, const Evaluation& row);

}  // namespace kbench
