// `kbench run --last-failed` and `--rerun STATE`: a new run of those submissions whose row in an
// earlier run failed, or ended in one of these states. A submission is told by its task and its
// name, so it may have been edited since.
#pragma once

#include <string>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The value of --rerun that --last-failed stands for: whatever is a failure.
inline constexpr const char* kFailedRows = "failed";
// Values of --rerun: that one, and the name of every state.
[[nodiscard]] std::vector<std::string> rerun_words();

// `options`, completed by those of the earlier run, as --resume does, but for its shard; `rerun_of`
// is its id then. Without `rerun`, and with --resume, `options` as they are. Errors: kUsage for
// `rerun_of` alone; those of Store::open and find_run_named.
[[nodiscard]] Result<RunOptions> complete_rerun(const RunOptions& options);

// Leaves those rows of the plan that `options.rerun` asks for. Where none is left,
// `plan.nothing_selected` says so. Errors: those of the store.
[[nodiscard]] Status keep_rerun(const RunOptions& options, Plan& plan);

// The choice in the configuration of a run (run_choices.hpp); and back, where it is of that form.
[[nodiscard]] Json rerun_json(const RunOptions& options);
void take_stored_rerun(const Json& choice, RunOptions& options);

}  // namespace kbench
