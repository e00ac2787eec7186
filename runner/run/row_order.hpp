// How a row is measured: what the evaluator is asked for, and on which terms, as the run's request,
// the unit and the device have it. Pure, but for a seed that was not chosen. The measurer
// (unit_measurer.hpp) adds what is built or started meanwhile: the library, the vendor's side,
// parameters that are drawn, the worker before.
#pragma once

#include <optional>

#include "runner/machine/target.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/unit_parts.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {

struct RowOrder {
  const RunRequest& request;
  const JudgingProfile& profile;
  const Target& target;
  const UnitParts& unit;  // its task has the target's size
  const DeviceFacts& device;
  const std::optional<Calibration>& calibration;
  const std::optional<DeviceLimits>& limits;
};

// Whether eager is played by a worker beside submissions in Python.
[[nodiscard]] bool python_plays_eager(const RunRequest& request, const Target& target);

[[nodiscard]] EvaluationRequest evaluation_request(const RowOrder& order);
[[nodiscard]] EvaluationSettings evaluation_settings(const RowOrder& order);

}  // namespace kbench
