// The text of suites/operators.txt, put here when kbench is built: runner/task/CMakeLists.txt.
#pragma once

#include <string_view>

namespace kbench {

extern const std::string_view kOperatorList;

}  // namespace kbench
