// The queue of processes that wait for a device, in order of arrival: each waiter holds a flock on
// a file of its own beside the device's lock, so that a place ends with the process that has it.
// The kernel's time of the file's making orders them; no process can be before one that came
// earlier. A user's runs wait for each other first (device/measuring_lock), so that among users
// each has one place.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "runner/core/result.hpp"

namespace kbench {

// The waiters in a queue, or in a part of it.
struct Waiting {
  int count = 0;
  std::optional<double> seconds = 0.0;  // time of all; none where one of them does not say
};

class QueuePlace {
 public:
  // Takes a place at the end of the queue of the lock `file`. `seconds`: how long this waiter will
  // probably hold the lock, for those behind; 0: unknown. Errors: kInfrastructure, the folder
  // cannot be written.
  [[nodiscard]] static Result<QueuePlace> take(const std::filesystem::path& file,
                                               double seconds = 0);

  QueuePlace(QueuePlace&& other) noexcept
      : file_(std::exchange(other.file_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  QueuePlace& operator=(QueuePlace&&) = delete;
  QueuePlace(const QueuePlace&) = delete;
  QueuePlace& operator=(const QueuePlace&) = delete;
  ~QueuePlace();

  // Places before this one of processes that are alive. Removes the files of dead ones, where it
  // may.
  [[nodiscard]] Waiting ahead() const;

 private:
  QueuePlace(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;
};

// All that wait for the lock `file`.
[[nodiscard]] Waiting waiting_for(const std::filesystem::path& file);

}  // namespace kbench
