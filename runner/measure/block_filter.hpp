// Which blocks are dropped after timing, and why. Dropped samples are kept and counted; only the
// derived numbers leave them out.
#pragma once

#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// SM clock at the two ends of a block, kHz; zero where unknown.
struct BlockClock {
  int block = 0;
  std::int64_t start_khz = 0;
  std::int64_t end_khz = 0;
};

// Drops blocks whose clock moved by more than 3 % inside, or lies below 75 % of the highest clock
// seen in this evaluation (throttling).
void drop_throttled_blocks(std::vector<Sample>& samples, const std::vector<BlockClock>& clocks);

}  // namespace kbench
