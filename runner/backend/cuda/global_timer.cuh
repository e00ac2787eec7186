// The device's own clock, nanoseconds. It moves in steps of 32 ns to 1 us, by device.
#pragma once

#include <cstdint>

namespace kbench::cuda {

__device__ inline std::uint64_t global_timer() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace kbench::cuda
