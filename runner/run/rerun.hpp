// `kbench run --last-failed` and `--rerun STATE`: a new run of those submissions whose row in an
// earlier run failed, or ended in one of these states. A submission is told by its task and its
// name, so it may have been edited since.
#pragma once

#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"

namespace kbench {

// Values of `rerun`: kFailedRows, for which --last-failed stands, and the name of every state.
[[nodiscard]] std::vector<std::string> rerun_words();

// The request, completed from the earlier run as by --resume, but is no part of its group;
// `rerun_of` becomes that run's id. Without `rerun`, and for a run that is resumed, the request as
// it is. Errors: kUsage for `rerun_of` alone; those of Store::open and find_run_named.
[[nodiscard]] Result<RunRequest> complete_rerun(const RunRequest& request, const RunTerms& terms);

// Keeps only the rows of the plan that `request.rerun` asks for. If none is left,
// `plan.nothing_selected` says so. Errors: those of the store.
[[nodiscard]] Status keep_rerun(const RunRequest& request, const RunTerms& terms, Plan& plan);

}  // namespace kbench
