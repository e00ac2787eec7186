// The locks of the device that a command measures on (os/device_lock.hpp): one among a user's own
// runs, which no other user can hold, and one among all users. Every command that times something
// takes them before it starts the oracle.
//
// There are two such pairs. The first is the device: a run holds it from beginning to end. The
// second is the turn: a command holds it while it executes something on the device. A run gives its
// turn away between two evaluations (give_turn) if a command waits for one, and takes it again
// behind it. So a command that only checks a kernel waits for one evaluation, not for a run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/os/device_lock.hpp"

namespace kbench {

// The name of a device among locks: its GPU's UUID, not the number that this process has for it, or
// cpu_lock_name().
[[nodiscard]] std::string device_lock_name(const Target& target);

struct LockRequest {
  const Installation* installation = nullptr;  // its state and locks
  const Target* target = nullptr;
  std::string what;  // "run 0123456789ab"
  bool wait = true;
  // A turn is enough, since nothing is timed: between two evaluations of the device's holder.
  bool turn_only = false;
  double seconds = 0;                // probable duration of the use; 0: unknown
  ProgressSink* progress = nullptr;  // gets the holders waited for, and warnings; null: dropped
  // Receives what is waited for, again whenever that changes, and nothing once the wait is over.
  std::function<void(const std::optional<DeviceWait>&)> waits = {};
  std::function<bool()> is_needless = {};  // asked before the wait; true: no lock is taken
};

struct MeasuringLock {
  DeviceLock own;
  DeviceLock of_all_users;
  DeviceLock own_turn;  // these end first
  DeviceLock turn_of_all_users;

  // The lock is neither the device nor a turn: the caller needs none any more.
  bool is_needless = false;
};

// Fails if another process holds the device and the request does not wait. A lock that cannot be
// kept at all (no folder for it) is a warning, and the result locks nothing.
[[nodiscard]] Result<MeasuringLock> take_measuring_lock(const LockRequest& request);

// Gives the turn between two evaluations to commands that wait for one, and returns once all that
// came before this call have had it. True if there was one. `next_seconds`: the probable time of
// the next evaluation, for commands that come meanwhile; 0: not known.
bool give_turn(const LockRequest& request, MeasuringLock& lock, double next_seconds = 0);

}  // namespace kbench
