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
  std::string_view name;  // of the row: "native", "python"
  CodeRules code;
  // Its outputs lie in memory of its own, where they are read once it stands still, and it says
  // where. Else they are written to the arena by the submission itself.
  bool owns_outputs = false;
  // It can tell which operators of torch a call used: CallKind::kObserved.
  bool observes = false;
  // It can record what the device does in its calls (WorkerStart::activity).
  bool records = false;
  // On a GPU no call is cut off before, however fast eager is: the first one loads, in Python it
  // imports and compiles.
  std::chrono::milliseconds least_call_timeout{5'000};
  // How a call ends that returned this status.
  EarlyEnd (*ended_with)(std::int32_t status) = nullptr;
  // Message for a submission that mapped other code.
  std::string_view only_known_code;
  // Hint for a submission that a signal ended.
  std::string_view crash_hint;
};

[[nodiscard]] const WorkerKind& native_worker();
[[nodiscard]] const WorkerKind& python_worker();

}  // namespace kbench
