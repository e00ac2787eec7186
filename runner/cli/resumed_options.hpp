// `kbench run --resume` goes on with what its run was started with: whatever is not said again is
// taken from there.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class Store;

// The run that --resume names. Errors: kUsage where there is
// none, and those of the store.
[[nodiscard]] Result<Run> find_resumed_run(const Store& store, const RunOptions& options);

// `options`, completed from how `run` was configured (run_choices.hpp). An option that was
// given (options.given) or is not what it is by default stays as it is: where it contradicts the
// run, that is for the run to refuse.
[[nodiscard]] RunOptions with_options_of(RunOptions options, const Run& run);

// The same with the run in options.database. Without options.resume, `options` as they are.
[[nodiscard]] Result<RunOptions> complete_resumed(const RunOptions& options);

}  // namespace kbench
