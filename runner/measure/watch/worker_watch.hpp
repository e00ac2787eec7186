// Looks at a worker's processes from outside: how long they have run. What cannot be read is an
// error, unless the kernel says that it is gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// The run time of a thread so far: how long it ran, how long it waited for a busy core, and how
// often it was put on a core.
struct RunTime {
  std::uint64_t ns = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t slices = 0;
};

struct RunTimes {
  std::map<pid_t, RunTime> threads;
  std::uint64_t total_ns = 0;  // time of the processes, with all the threads that have ended
};

// How long the threads that were there at both looks waited for a core in between, added up.
[[nodiscard]] std::int64_t waited_ns(const RunTimes& before, const RunTimes& after);

// Run times of these processes. Errors: kInfrastructure.
[[nodiscard]] Result<RunTimes> run_times(std::span<const pid_t> processes);

// The run time of processes between two looks. A thread shows as stopped a moment before it leaves
// its core, and where a hypervisor takes the core away in that moment, milliseconds are added to
// the thread's run time when it leaves. But once it has left, it can run only after it was put on a
// core again.
struct RanMeanwhile {
  std::uint64_t leaving_ns = 0;  // time of leaving threads, on the cores that they had
  std::uint64_t again_ns = 0;    // all the rest: put on a core anew, new, or ended meanwhile
};
[[nodiscard]] RanMeanwhile ran_meanwhile(const RunTimes& before, const RunTimes& after);

// Tells a worker that runs while it is stopped, continued by an accomplice say, from one that was
// slow to leave its core.
class StopLedger {
 public:
  // Adds one stop. True once the runs are no accident.
  [[nodiscard]] bool ran(const RanMeanwhile& meanwhile);

 private:
  std::uint64_t stops_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t leaving_ns_ = 0;  // time of all stops
};

// Tells a worker that runs on more cores than it was given: the time that its threads have run in a
// call cannot be longer than the call on each of its cores. Nothing in a process keeps its threads
// on cores, since OpenMP itself binds them.
class CoreLedger {
 public:
  explicit CoreLedger(int cores) : cores_(cores) {}
  // Adds one call, from before the first of its threads was continued until the last one stood
  // still. True once the excess is no accident.
  [[nodiscard]] bool ran_on_more(std::uint64_t run_time_ns, std::chrono::nanoseconds call);

 private:
  int cores_;
  std::uint64_t calls_ = 0;
  std::uint64_t overruns_ = 0;
};

// Tells a call in which nothing runs: its threads wait for a core that other programs keep busy, or
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
