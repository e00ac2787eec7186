// The short stretch of memory work that the oracle runs right before what it times itself on a CPU
// (lint's look at eager): cores awake, OpenMP's threads too, clocks up, the private caches filled
// with nothing of use. 20-50 us. Players run none: what a worker could leave out is not taken off.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kbench {

inline constexpr std::size_t kCpuPrologueBytes = std::size_t{256} << 10;

// The prologue on one thread. Writes a buffer on the stack and sums it up, a few times over. The
// stack keeps its pages between calls, so only the first one takes page faults. Returns the sum.
inline std::uint64_t cpu_prologue() {
  constexpr int kPasses = 3;
  std::array<std::uint64_t, kCpuPrologueBytes / sizeof(std::uint64_t)> buffer;
  std::uint64_t sum = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = sum + i;
    // The compiler must believe that the buffer is read, or it folds all of this away.
    asm volatile("" : : "r"(buffer.data()) : "memory");
    for (const std::uint64_t value : buffer) sum += value;
  }
  asm volatile("" : "+r"(sum));
  return sum;
}

// The prologue on all threads of the team that a parallel region with so many threads gets.
inline void cpu_team_prologue(int threads) {
#pragma omp parallel num_threads(threads)
  cpu_prologue();
}

}  // namespace kbench
