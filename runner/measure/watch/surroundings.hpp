// The evaluator's questions to the machine it runs on, as functions, so that tests can script them.
#pragma once

#include <cstdint>
#include <functional>

#include "runner/measure/watch/quiet_core.hpp"

namespace kbench {

// Time of the steady clock.
[[nodiscard]] std::int64_t steady_now_ns();

// Nanoseconds that the hypervisor has taken from this machine's cores so far, in steps of 10 ms;
// 0 where /proc/stat does not say.
[[nodiscard]] std::int64_t stolen_ns();

// Time so far for which some program of this machine waited for a core or for memory, as the kernel
// counts (pressure stall information); zero where it does not say.
struct Pressure {
  std::int64_t cpu_ns = 0;
  std::int64_t memory_ns = 0;
};
[[nodiscard]] Pressure pressure();

// True if a foreign thread runs or wants to, machine-wide; asked while all of ours but the caller
// stand still. False where /proc/loadavg does not say.
[[nodiscard]] bool others_run();

// Looks at the clock until so many nanoseconds have passed; the core does not rest meanwhile.
void spin_ns(std::int64_t nanoseconds);

struct Surroundings {
  std::function<std::int64_t()> now_ns = steady_now_ns;
  std::function<std::int64_t()> stolen_ns = kbench::stolen_ns;
  std::function<Pressure()> pressure = kbench::pressure;
  std::function<bool()> others_run = kbench::others_run;
  // Why the device's clock is not higher just now, as bits of NVML's clock event reasons.
  std::function<std::uint64_t()> clock_limits = [] { return std::uint64_t{0}; };
  std::function<void(std::int64_t)> spin_ns = kbench::spin_ns;
  std::function<std::int64_t(int core)> probe_core_ns = kbench::probe_core_ns;
};

}  // namespace kbench
