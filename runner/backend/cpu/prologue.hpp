// The short stretch of memory work that oracle and worker each run on the calling thread right
// before a timed call, so that both start it from the same state: core awake, clock up, the private
// caches filled with nothing of use. 20-50 us. Includes nothing of ours: the worker uses it too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kbench {

inline constexpr std::size_t kCpuPrologueBytes = std::size_t{256} << 10;

// Writes a buffer on the stack and sums it up, a few times over. The stack keeps its pages between
// calls, so only the first one takes page faults. Returns the sum.
inline std::uint64_t cpu_prologue() {
  constexpr int kPasses = 3;
  std::array<std::uint64_t, kCpuPrologueBytes / sizeof(std::uint64_t)> buffer;
  std::uint64_t sum = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = sum + i;
    // The compiler must believe that somebody looks at the buffer, or it folds all of this away.
    asm volatile("" : : "r"(buffer.data()) : "memory");
    for (const std::uint64_t value : buffer) sum += value;
  }
  asm volatile("" : "+r"(sum));
  return sum;
}

}  // namespace kbench
