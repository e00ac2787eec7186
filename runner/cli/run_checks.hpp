// Reasons to refuse a run before anything is started. `kbench run` and `kbench run --dry-run` ask
// for the same ones.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The options, completed by the run that --resume names, once they hold together: the database can
// be one, and every output can be written and can show such a run. Errors: kUsage, kNotFound, those
// of Store::open.
[[nodiscard]] Result<RunOptions> check_run_options(const RunOptions& given);

// Whether such options suit that plan, which has something to do. Errors: kUsage.
[[nodiscard]] Status check_run_plan(const RunOptions& options, const Plan& plan);

}  // namespace kbench
