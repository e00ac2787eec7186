#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/global_timer.cuh"
#include "runner/backend/cuda/occupy.hpp"

namespace kbench::cuda {

namespace {

__global__ void wait_for(std::uint64_t nanoseconds) {
  const std::uint64_t start = global_timer();
  while (global_timer() - start < nanoseconds) {
  }
}

}  // namespace

Status occupy(std::chrono::microseconds duration) {
  const auto nanoseconds = std::chrono::nanoseconds(duration).count();
  return launch("waiting kernel", wait_for, 1, 1, static_cast<std::uint64_t>(nanoseconds));
}

}  // namespace kbench::cuda
