// Fused multiply-adds in registers, by vector width: what a CPU computes at most. Only widths that
// this CPU has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbench {

struct FmaLoop {
  std::string width;  // bits
  int lanes = 0;      // float32 in a vector
  void (*loop)(std::int64_t repeats) = nullptr;

  // Operations of one thread: two for each lane of each of kFmaChains vectors.
  [[nodiscard]] double operations(std::int64_t repeats) const;
  void run(int threads, std::int64_t repeats) const;
};

// Independent chains: more than a multiply-add takes cycles, on two units.
constexpr int kFmaChains = 12;

[[nodiscard]] std::vector<FmaLoop> fma_loops();

}  // namespace kbench
