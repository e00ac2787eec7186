// Threads bound to cores where they do not get their turn, moved to the other cores until this
// ends. OpenMP threads bound beside a foreign busy loop were seen to wait for 20 s (Linux 6.18,
// time slices of 100 ms). Where the kernel does not let us, nothing happens.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <span>
#include <utility>
#include <vector>

namespace kbench {

class MovedThreads {
 public:
  // Moves the threads to cores that the calling thread may use and they may not.
  explicit MovedThreads(std::span<const pid_t> threads);
  ~MovedThreads();  // binds them as before
  MovedThreads(const MovedThreads&) = delete;
  MovedThreads& operator=(const MovedThreads&) = delete;

 private:
  std::vector<std::pair<pid_t, cpu_set_t>> bound_before_;
};

}  // namespace kbench
