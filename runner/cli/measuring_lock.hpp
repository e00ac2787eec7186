// The lock of the device that a command measures on (os/device_lock.hpp), by its name and in our
// words. Called by every command that times something, before it starts the oracle.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"
#include "runner/os/device_lock.hpp"

namespace kbench {

struct LockRequest {
  std::filesystem::path folder;  // Installation::locks
  const Target* target = nullptr;
  std::string what;  // "run 0123456789ab"
  bool wait = true;
  std::function<void(const std::string&)> note;  // a line for whoever sits before it
};

// Error: somebody else measures there and nobody is to be waited for. Where no lock can be kept at
// all, that is a note, and the lock is one of nothing.
[[nodiscard]] Result<DeviceLock> take_measuring_lock(const LockRequest& request);

}  // namespace kbench
