// The clock of the streaming multiprocessors, measured: a thread spins and reads the cycle counter
// and the wall clock of the device.
#pragma once

#include <cstdint>

#include "runner/core/result.hpp"

namespace kbench::cuda {

struct ClockReading {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

// Starts the kernel (about 80 us) on the default stream; *reading, in pinned host memory, is
// complete once the stream is. Errors: kInfrastructure.
[[nodiscard]] Status read_clock(ClockReading* reading);

}  // namespace kbench::cuda
