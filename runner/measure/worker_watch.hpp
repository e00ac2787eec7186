// Looks at a worker's processes from outside, through /proc: how long they have run, which code
// they map. Called by WorkerProcess; what cannot be read counts as nothing.
#pragma once

#include <sys/types.h>

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

// Files with executable mappings in any of them.
[[nodiscard]] std::vector<std::string> mapped_code_of(std::span<const pid_t> processes);

}  // namespace kbench
