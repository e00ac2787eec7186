// The calls of a profile: one side of a task, by a player of its own, whose activities on the
// device are recorded. Nothing of it is judged and nothing of it is a verdict: what a submission's
// process says of itself may be wrong. Inputs are shown and calls are made as in an evaluation, so
// that the device sees what it sees there.
#pragma once

#include <filesystem>

#include "runner/activity/activity.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/players/worker.hpp"

namespace kbench {

struct RecordedCalls {
  RecordedActivity activity;
  // Share of the time of the calls that count in which some program waited for a core
  // (pressure_share.hpp).
  double waited_share = 0;
};

// `cupti`: the library; empty where there is none, and the calls are there without activities. On a
// CPU there are none either; the recorded problem says so. Errors: kSubmission where the
// submission's process ended, hung, or wrote what cannot be; else those of the oracle.
[[nodiscard]] Result<RecordedCalls> record_calls(const EvaluationRequest& request,
                                                 const EvaluationSettings& settings, Side side,
                                                 const std::filesystem::path& cupti, Oracle& oracle,
                                                 const WorkerFactory& start_worker);

}  // namespace kbench
