// A run that is continued (`kbench run --resume`), or made like an earlier one, is asked for what
// that one was: a choice that is not typed again is taken from there.
#pragma once

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"

namespace kbench {

class Store;

// The run that `terms.resume` names. Errors: kNotFound where there is none, and those of the store.
[[nodiscard]] Result<Run> find_resumed_run(const Store& store, const RunTerms& terms);

// The request, completed from how `run` was configured (run_choices.hpp). A choice that was typed
// (`given`) or is not what it is by default stays as it is: where it contradicts the run, that is
// for the run to refuse.
[[nodiscard]] RunRequest with_choices_of(RunRequest request, const Run& run);

// The same with the run that is resumed. Without one, the request as it is.
[[nodiscard]] Result<RunRequest> complete_resumed(const RunRequest& request, const RunTerms& terms);

}  // namespace kbench
