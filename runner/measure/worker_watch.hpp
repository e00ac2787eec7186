// Looks at a worker's processes from outside, through /proc: how long they have run. Called by
// WorkerProcess; what cannot be read counts as nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kbench {

// What a thread has run so far: how long, and on how many occasions it was put on a core.
struct RunTime {
  std::uint64_t ns = 0;
  std::uint64_t slices = 0;
};
using RunTimes = std::map<pid_t, RunTime>;  // by thread

// Of all threads of these processes.
[[nodiscard]] RunTimes run_times(std::span<const pid_t> processes);

[[nodiscard]] std::uint64_t total_ns(const RunTimes& times);

// What threads ran between two looks. A thread shows as stopped a moment before it leaves its core,
// and where a hypervisor takes the core away in that moment, milliseconds are added to the thread's
// run time when it leaves. But once it has left, it can run only after it was put on a core again.
struct RanMeanwhile {
  std::uint64_t leaving_ns = 0;  // on the core that it had
  std::uint64_t again_ns = 0;    // put on a core anew, or new itself
};
// A thread that ended meanwhile has taken its time along.
[[nodiscard]] RanMeanwhile ran_meanwhile(const RunTimes& before, const RunTimes& after);

// Tells a worker that runs while it is stopped, continued by an accomplice say, from one that was
// slow to leave its core.
class StopLedger {
 public:
  // Of one stop. True once what ran is no accident.
  [[nodiscard]] bool ran(const RanMeanwhile& meanwhile);

 private:
  int stops_ = 0;
  int overruns_ = 0;
};

// Tells a call in which nothing runs: its threads wait for a core that somebody else keeps busy, or
// for each other.
class StallWatch {
 public:
  // To be asked every 20 ms or so. True once, when hardly anything has run for a fifth of a second.
  [[nodiscard]] bool stalled(std::chrono::nanoseconds into_call, std::uint64_t run_time_ns);

 private:
  std::chrono::nanoseconds since_{0};
  std::uint64_t run_time_then_ns_ = 0;
  bool told_ = false;
};

}  // namespace kbench
