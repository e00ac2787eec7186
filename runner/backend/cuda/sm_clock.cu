#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/global_timer.cuh"
#include "runner/backend/cuda/sm_clock.hpp"

namespace kbench::cuda {

namespace {

constexpr std::uint64_t kSpinNs = 80'000;

// Both readings are taken at a step of the timer.
__device__ std::uint64_t next_step(std::uint64_t not_before) {
  const std::uint64_t before = global_timer();
  std::uint64_t now = before;
  while (now == before || now < not_before) now = global_timer();
  return now;
}

__global__ void spin(ClockReading* reading) {
  const std::uint64_t start = next_step(0);
  const auto first = static_cast<std::uint64_t>(clock64());
  const std::uint64_t stop = next_step(start + kSpinNs);
  const auto last = static_cast<std::uint64_t>(clock64());
  reading->cycles = last - first;
  reading->nanoseconds = stop - start;
}

}  // namespace

Status read_clock(ClockReading* reading) { return launch("clock kernel", spin, 1, 1, reading); }

}  // namespace kbench::cuda
