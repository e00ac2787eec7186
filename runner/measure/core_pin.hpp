// Keeps the supervisor on the core of the worker's first thread while it waits for a call on the
// CPU. That thread sleeps as soon as it has raised "done", and the supervisor is next: some
// microseconds. On any other core it waits for a thread of the worker's team that still spins, 0.4
// ms now and then, and the two clocks of a call differ by that.
#pragma once

#include <sched.h>

namespace kbench {

// Of the calling thread, for the life of the object. What cannot be pinned stays as it is.
class CorePin {
 public:
  // The first core that this thread may use: OpenMP's first place, where a worker's main thread is
  // bound (see openmp_environment.hpp).
  CorePin();
  ~CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;

 private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

}  // namespace kbench
