// `kbench run --dry-run`: the plan of a run on standard output, with the durations that the
// database has of earlier ones. Nothing is compiled, started, waited for or written.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Prints a table, or JSON where that is the format of standard output. What the run would be
// refused for before it starts anything is an error here as well.
[[nodiscard]] Result<End> show_plan(const RunOptions& given, const Installation& installation);

}  // namespace kbench
