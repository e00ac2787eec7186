// Reasons to refuse a run before anything is started. `kbench run` and `kbench run --dry-run` ask
// for the same ones.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// The options, completed by the run that --resume or
// --last-failed looks at, once they hold together: the database can
// be one, and every output can be written and can show such a run. Errors: kUsage, kNotFound, those
// of Store::open.
[[nodiscard]] Result<RunOptions> check_run_options(const RunOptions& given);

// The plan of such options, without what --last-failed and --rerun leave out. Errors: those of
// make_plan; kUsage where the outputs cannot show its tasks.
[[nodiscard]] Result<Plan> plan_run(const RunOptions& options, const Installation& installation);

}  // namespace kbench
