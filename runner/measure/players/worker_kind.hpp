// The differences between kinds of worker once they play; everything else of an evaluation is the
// same for all. How a worker of a kind is started: worker_program.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/measure/players/player.hpp"
#include "runner/measure/watch/libraries.hpp"

namespace kbench {

struct WorkerKind {
  std::string_view name;  // name in the row: "native", "python"
  CodeRules code;
  // Outputs lie in memory of the worker, which says where, and are read there once it stands still.
  // Else the submission itself writes them to the arena.
  bool owns_outputs = false;
  // The worker can tell which operators of torch a call used: CallKind::kObserved.
  bool observes = false;
  // The worker can record the device's activities in its calls (WorkerStart::activity).
  bool records = false;
  // Least limit of a call on a GPU, however fast eager is: the first call loads, in Python it
  // imports and compiles.
  std::chrono::milliseconds least_call_timeout{5'000};
  // The end of a call that returned this status.
  EarlyEnd (*ended_with)(std::int32_t status) = nullptr;
  // Message for a submission that mapped other code.
  std::string_view only_known_code;
  // Hint for a submission that a signal ended: the next step, and what it may be.
  std::string_view crash_step;
  std::string_view crash_causes;
};

[[nodiscard]] const WorkerKind& native_worker();
[[nodiscard]] const WorkerKind& python_worker();

}  // namespace kbench
