// The locks of the device that a command measures on (os/device_lock.hpp), by its name and in our
// words: one among a user's own runs, where nobody else can do anything about it, and one among all
// users. Every command that times something takes them before it starts the oracle.
//
// There are two such pairs. Who holds the device keeps the first from beginning to end. The second
// is the turn: whoever executes something on the device has it meanwhile. A run that holds the
// device gives it away between two evaluations (give_turn) where somebody waits for it, and takes
// it again behind those; so whoever only checks a kernel waits for one evaluation and not for a
// run.
#pragma once

#include <functional>
#include <optional>
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
  // Nothing is timed: a turn is enough, between two evaluations of whoever holds the device.
  bool turn_only = false;
  double seconds = 0;                // that it will probably take; 0: nobody knows
  ProgressSink* progress = nullptr;  // tells for whom it waits, and warns; null: nobody is told
  // Told what is waited for, again where that changes, and nothing once the wait is over.
  std::function<void(const std::optional<DeviceWait>&)> waits = {};
  std::function<bool()> is_needless = {};  // asked before it waits: true, and there is no lock
};

struct MeasuringLock {
  DeviceLock own;
  DeviceLock of_all_users;
  DeviceLock own_turn;  // these end first
  DeviceLock turn_of_all_users;

  // Neither the device nor a turn: whoever asked needs none any more.
  bool is_needless = false;
};

// Error: somebody else measures there and nobody is to be waited for. Where one of the locks cannot
// be kept at all, that is a warning, and it is one of nothing.
[[nodiscard]] Result<MeasuringLock> take_measuring_lock(const LockRequest& request);

// Between two evaluations: where somebody waits for a turn, it is theirs, and this returns once
// they and those who came before this call have had it. True where there was anybody.
// `next_seconds`: what the next evaluation will probably take, for those who come meanwhile; 0:
// nobody knows.
bool give_turn(const LockRequest& request, MeasuringLock& lock, double next_seconds = 0);

}  // namespace kbench
