// An agent's kernels, profiled: what bounds them and one thing to do, as JSON of at most 4 KiB.
// Nothing is judged or stored, and a profile that fails costs nothing but itself.
#pragma once

#include <functional>
#include <optional>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/judge/workspace_requests.hpp"

namespace kbench {

struct ProfiledKernels {
  // {state, message, hint, profile}: state is ok, submission_error or infrastructure_error, by
  // whose fault it is that there is no profile; `profile` as profile_answer has it, or null with
  // the message that says whose fault that is and what to do.
  Json result;
  State state = State::kInfrastructureError;
};

// Waits for the device like a measurement; `waits` as RunTerms has it.
[[nodiscard]] ProfiledKernels profile_kernels(
    const KernelRequest& request, ProgressSink& progress,
    std::function<void(const std::optional<DeviceWait>&)> waits = {});

}  // namespace kbench
