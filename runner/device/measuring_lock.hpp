// The locks of the device that a command measures on (os/device_lock.hpp), by its name and in our
// words: one among a user's own runs, where nobody else can do anything about it, and one among all
// users. Every command that times something takes it before it starts the oracle.
#pragma once

#include <string>

#include "runner/backend/target.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/os/device_lock.hpp"

namespace kbench {

// The name of a device among locks: its GPU's UUID, whatever number it has for this process, or
// cpu_lock_name().
[[nodiscard]] std::string device_lock_name(const Target& target);

struct LockRequest {
  const Installation* installation = nullptr;  // its state and locks
  const Target* target = nullptr;
  std::string what;  // "run 0123456789ab"
  bool wait = true;
  ProgressSink* progress = nullptr;  // tells for whom it waits, and warns
};

struct MeasuringLock {
  DeviceLock own;
  DeviceLock of_all_users;
};

// Error: somebody else measures there and nobody is to be waited for. Where one of the locks cannot
// be kept at all, that is a warning, and it is one of nothing.
[[nodiscard]] Result<MeasuringLock> take_measuring_lock(const LockRequest& request);

}  // namespace kbench
