// How a run ended, for whoever typed it: its exit code and its last line. The one place where exit
// codes are made of outcomes.
#pragma once

#include <string>

#include "runner/cli/outcome.hpp"
#include "runner/run/run_outcome.hpp"

namespace kbench {

// `exit_zero`: failures of submissions are in the rows alone. `reported`: the files that tell of
// the run, "results.csv, page.html".
[[nodiscard]] End end_of_run(const RunOutcome& outcome, const RunTerms& terms,
                             bool exit_zero = false, const std::string& reported = "");

}  // namespace kbench
