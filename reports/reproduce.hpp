// The command that measures a row again, from what its run was told. Called by the page.
#pragma once

#include <string>

#include "reports/model.hpp"

namespace kbench {

// One line for a POSIX shell. Of a submissions folder it takes the row's agent and task, hence all
// variants of that agent; of a single file that file.
[[nodiscard]] std::string reproduce_command(const Run& run, const ResultRow& row);

}  // namespace kbench
