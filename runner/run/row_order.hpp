// How a row is measured: what the evaluator is asked for, and on which terms, as the run's request,
// its plan and the device have it. Pure, but for a seed that nobody chose. The bench adds what it
// builds or starts meanwhile: the library, the vendor's side, parameters that are drawn, the worker
// before.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "baselines/builder_pool.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {

struct RowOrder {
  const RunRequest& request;
  const JudgingProfile& profile;
  const Plan& plan;
  const PlannedRow& unit;  // of that plan; its task has the plan's size
  const DeviceFacts& device;
  const std::optional<Calibration>& calibration;
  const std::optional<DeviceLimits>& limits;
  const std::map<std::size_t, PackageResult>& packages;  // by task
};

// Whether eager is played by a worker beside submissions in Python.
[[nodiscard]] bool python_plays_eager(const RunRequest& request, const Target& target);

[[nodiscard]] EvaluationRequest evaluation_request(const RowOrder& order);
[[nodiscard]] EvaluationSettings evaluation_settings(const RowOrder& order);

}  // namespace kbench
