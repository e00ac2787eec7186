// Looks at a worker's processes from outside, through /proc: how long they have run, how often they
// lost a core, which code they map. Called by WorkerProcess; what cannot be read counts as nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kbench {

// Nanoseconds that all threads of these processes have run so far.
[[nodiscard]] std::uint64_t run_time_ns(std::span<const pid_t> processes);

// Times that the kernel took a core away from one of their threads that wanted to go on.
[[nodiscard]] std::int64_t involuntary_switches(std::span<const pid_t> processes);

// Files with executable mappings in any of them.
[[nodiscard]] std::vector<std::string> mapped_code_of(std::span<const pid_t> processes);

}  // namespace kbench
