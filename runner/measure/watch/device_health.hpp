// Whether a device still works after an evaluation went wrong on it: asked of a fresh process, with
// pauses, because a driver needs a moment to tear down a context whose kernel never ends. A device
// that does not come back is quarantined: the run stops with what is left pending. Time and
// processes come from outside, so that tests play every case.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Whether this evaluation may have left the device unusable: on a GPU, whenever the worker did not
// end by itself in good order, or the oracle failed.
[[nodiscard]] bool may_have_harmed(const Evaluation& evaluation);

struct HealthProbe {
  // Uses the device in a fresh process; an error says what failed.
  std::function<Status()> use_device;
  // Killed programs that are not dead yet: as long as one is there, times mean nothing.
  std::function<int()> undead;
  std::function<void(std::chrono::milliseconds)> pause;
};

struct HealthPatience {
  int attempts = 5;
  std::chrono::milliseconds first_pause{1000};  // doubled after each attempt
};

// Done once the device works and no process of a kbench that is gone holds it. Error:
// kInfrastructure, in words for the user.
[[nodiscard]] Status await_device(const std::string& device, const HealthProbe& probe,
                                  const HealthPatience& patience = {});

}  // namespace kbench
