// Reasons to refuse a run because of what is to be shown of it, before anything is started. `kbench
// run` and `kbench run --dry-run` ask for the same ones.
#pragma once

#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"

namespace kbench {

// The options, with their request completed (complete_request), once every output can be written
// and can show such a run. Errors: those of complete_request; kUsage.
[[nodiscard]] Result<RunOptions> check_run_options(const RunOptions& given);

// Errors: kUsage where the outputs cannot show the tasks of the plan.
[[nodiscard]] Status check_shown(const std::vector<OutputRequest>& outputs, const Plan& plan);

}  // namespace kbench
