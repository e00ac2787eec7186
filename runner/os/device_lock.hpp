// One measurement at a time on a device, among all users. Two runs that measure beside each other
// make each other slow and both wrong, on other cores as well: memory, caches, power and clocks are
// shared. A measuring process holds the lock of the device (flock on a file that all users of the
// machine may open); the kernel takes it back however its holder ends. Waiting processes are served
// in order of arrival (device_queue).
//
// The file is removed by its holder, so that one of a machine that is gone (a CPU's carries the
// machine's boot id) is the exception. A file that a killed holder leaves behind locks no user out,
// even where only its user may remove it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "runner/core/result.hpp"

namespace kbench {

// The holder of a lock, in the words that it left: for people, never for a decision.
struct LockHolder {
  std::string pid;
  std::string what;   // "run 0123456789ab"
  std::string since;  // UTC, RFC 3339
  std::string until;  // probable end, in that form; empty: it does not know

  friend bool operator==(const LockHolder&, const LockHolder&) = default;
};

// A process that asks for a lock. Its words as a holder are written when it gets the lock: time in
// the queue is in neither `since` nor `until`.
struct LockSeeker {
  std::string pid;
  std::string what;
  double seconds = 0;  // its probable time with the lock; 0: it does not know

  [[nodiscard]] LockHolder as_holder() const;
};

// Why a lock is waited for.
struct DeviceWait {
  LockHolder holder;
  int place = 1;                        // place in the queue: 1 is next
  std::optional<double> ahead_seconds;  // time of those before it; none where one does not know

  // Seconds until it is this waiter's turn, by what holder and queue expect; nothing where one of
  // them does not know, or has taken longer than it expected.
  [[nodiscard]] std::optional<double> seconds_left() const;

  friend bool operator==(const DeviceWait&, const DeviceWait&) = default;
};

// "process 123 (run 0123456789ab, since 2026-11-21T13:00:00Z, probably until
// 2026-11-21T13:20:00Z)".
[[nodiscard]] std::string words(const LockHolder& holder);

class DeviceLock {
 public:
  // Waits for the holder, and for processes that came before. `waits_for` is called once for each
  // holder that is waited for and each place in the queue. If it returns false, the wait ends with
  // an error (kInfrastructure) that names the holder. `is_needless` is called before the wait and
  // repeatedly during it; it may be slow, because the place in the queue is kept. If it returns
  // true, the wait ends and the result holds no lock. Other errors: the folder cannot be written,
  // the file's name belongs to something else, the file cannot be opened, or its file system knows
  // no locks.
  [[nodiscard]] static Result<DeviceLock> take(
      const std::filesystem::path& folder, const std::string& device, const LockSeeker& self,
      const std::function<bool(const DeviceWait&)>& waits_for,
      const std::function<bool()>& is_needless = {});

  // Number of processes that wait for the lock.
  [[nodiscard]] static int waiters(const std::filesystem::path& folder, const std::string& device);

  // Changes the words for waiting processes.
  void tell(const LockSeeker& self) const;

  // True for a lock that is held.
  [[nodiscard]] bool is_held() const { return descriptor_ >= 0; }

  DeviceLock() = default;  // holds no lock
  DeviceLock(DeviceLock&& other) noexcept
      : file_(std::exchange(other.file_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  DeviceLock& operator=(DeviceLock&& other) noexcept;
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock();

 private:
  DeviceLock(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;
};

// The CPU of this machine, as the kernel that runs now names it: containers of one machine share
// it, machines that share a home do not.
[[nodiscard]] std::string cpu_lock_name();

}  // namespace kbench
