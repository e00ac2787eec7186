// Looks at a worker's processes from outside, through /proc: how long they have run, which code
// they map. Called by WorkerProcess; what cannot be read counts as nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kbench {

// Nanoseconds that all threads of these processes have run so far.
[[nodiscard]] std::uint64_t run_time_ns(std::span<const pid_t> processes);

// Tells a worker that runs while it is stopped, continued by an accomplice say, from one that was
// slow to leave its core.
class StopLedger {
 public:
  // Of one stop: the run time at its start and at its end. True once what lies between them is no
  // accident.
  [[nodiscard]] bool ran(std::uint64_t before_ns, std::uint64_t after_ns);

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

// Files with executable mappings in any of them.
[[nodiscard]] std::vector<std::string> mapped_code_of(std::span<const pid_t> processes);

}  // namespace kbench
