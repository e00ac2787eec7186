// The locks of the device that a command measures on (os/device_lock.hpp), by its name and in our
// words: one among a user's own runs, where nobody else can do anything about it, and one among all
// users. Called by every command that times something, before it starts the oracle.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"
#include "runner/os/device_lock.hpp"

namespace kbench {

struct LockRequest {
  const Installation* installation = nullptr;  // its state and locks
  const Target* target = nullptr;
  std::string what;  // "run 0123456789ab"
  bool wait = true;
  std::function<void(const std::string&)> note;  // a line for whoever sits before it
  std::function<void(const std::string&)> warn;  // the same, for whoever wants to hear little too
};

struct MeasuringLock {
  DeviceLock own;
  DeviceLock of_all_users;
};

// Error: somebody else measures there and nobody is to be waited for. Where one of the locks cannot
// be kept at all, that is a warning, and it is one of nothing.
[[nodiscard]] Result<MeasuringLock> take_measuring_lock(const LockRequest& request);

}  // namespace kbench
