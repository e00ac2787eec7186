// The core of a thread that takes times: the supervisor's thread, and on a GPU the thread that
// launches kernels.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <span>

namespace kbench {

// Pins the calling thread to a core for the life of the object. A thread that cannot be pinned
// stays as it is.
class CorePin {
 public:
  // Pins this thread to the first core that it may use: OpenMP's first place, where a worker's main
  // thread is bound (openmp_environment() in players/player_environment.hpp). There the supervisor
  // waits for a call on the CPU: the main thread sleeps as soon as it has raised "done", and the
  // supervisor runs some microseconds later. On another core the supervisor now and then waits for
  // a spinning thread of the worker's team: 0.4 ms, by which the two clocks of a call then differ.
  CorePin();
  explicit CorePin(int core);
  ~CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;
  [[nodiscard]] bool pinned() const { return pinned_; }

 private:
  void pin(int core);

  cpu_set_t before_{};
  bool pinned_ = false;
};

// Keeps the calling thread off a core that another thread is bound to, until the object ends. Where
// that core is the only one, the thread stays.
class CoreAvoidance {
 public:
  CoreAvoidance();
  ~CoreAvoidance();
  CoreAvoidance(const CoreAvoidance&) = delete;
  CoreAvoidance& operator=(const CoreAvoidance&) = delete;
  void stay_off(int core);

 private:
  cpu_set_t before_{};
  bool known_ = false;
  bool moved_ = false;
};

// Binds one thread, a process's first where a process is named, to these cores. Threads that it
// starts from then on are bound to them as well. False: it may not be bound, and stays as it is.
bool bind_to_cores(pid_t thread, std::span<const int> cores);

}  // namespace kbench
