// Requests that continue a run (`kbench run --resume`) or repeat one: a choice that is not typed
// again is taken from that run.
#pragma once

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"

namespace kbench {

class Store;

// The run that `terms.resume` names. Errors: kNotFound where there is none, and those of the store.
[[nodiscard]] Result<Run> find_resumed_run(const Store& store, const RunTerms& terms);

// The request, completed from the configuration of `run` (run_choices.hpp). A choice that was typed
// (`given`), or differs from its default, stays as it is; the run refuses it later if it
// contradicts the run. The shard is no choice: a request that repeats rows of a run is no part of
// its group.
[[nodiscard]] RunRequest with_choices_of(RunRequest request, const Run& run);

// The request with the shard and the group of `run`, unless it has a shard. Only a request that
// continues the run measures that part.
[[nodiscard]] RunRequest as_part_of(RunRequest request, const Run& run);

// The options of the command that began the run which say where reports go or when the run stops,
// and which the command that resumes it lacks: "--out, --max-fail"; empty without any. By the words
// of the commands.
[[nodiscard]] std::string options_left_behind(const std::string& began_by,
                                              const std::string& resumed_by);

// The request, completed from the run that is resumed. Without one, the request as it is.
[[nodiscard]] Result<RunRequest> complete_resumed(const RunRequest& request, const RunTerms& terms);

}  // namespace kbench
