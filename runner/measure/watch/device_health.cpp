#include "runner/measure/watch/device_health.hpp"

#include <fmt/format.h>

namespace kbench {

bool may_have_harmed(const Evaluation& evaluation) {
  if (evaluation.device == "cpu") return false;
  switch (evaluation.state) {
    case State::kCrash:
    case State::kTimeout:
    case State::kOverBudget:
    case State::kSubmissionError:
    case State::kInfrastructureError: return true;
    default: return false;
  }
}

Status await_device(const std::string& device, const HealthProbe& probe,
                    const HealthPatience& patience) {
  std::string problem;
  auto pause = patience.first_pause;
  for (int attempt = 0; attempt < patience.attempts; ++attempt) {
    if (attempt > 0) {
      probe.pause(pause);
      pause *= 2;
    }
    if (const int undead = probe.undead(); undead > 0) {
      problem = fmt::format("{} killed process{} of a submission still hang{} in the driver",
                            undead, undead == 1 ? "" : "es", undead == 1 ? "s" : "");
      continue;
    }
    const Status used = probe.use_device();
    if (used) return Done{};
    problem = used.error().message;
  }
  return Error{ErrorCode::kInfrastructure,
               fmt::format("{} does not come back after a submission: {}", device, problem),
               "reset the device or restart the machine (dmesg has the driver's words), then "
               "continue with --resume"};
}

}  // namespace kbench
