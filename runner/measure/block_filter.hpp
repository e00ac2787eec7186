// Which blocks are dropped after timing, and why. Dropped samples are kept and counted; only the
// derived numbers leave them out.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// What surrounded one block.
struct BlockConditions {
  int block = 0;
  std::int64_t start_khz = 0;  // SM clock at both ends; zero where unknown
  std::int64_t end_khz = 0;
  bool on_cpu = false;
  std::int64_t stolen_ns = 0;             // CPU: time that the hypervisor took from this machine
  std::int64_t involuntary_switches = 0;  // CPU: in timed calls of the baselines
};

// Says anew for every sample whether it is dropped, from the conditions of all blocks so far:
// - CUDA: the clock moved by more than 3 % inside the block, or lies below 75 % of the highest seen
//   in this evaluation (throttling);
// - CPU: the kernel or the hypervisor took cores away for more than 2 % of the timed calls;
// - CPU: both baselines, each for itself, took more than 5 % longer than in their quietest
//   twentieth. Neither noise nor the luck of one's buffers does that to both: somebody shares the
//   cores as hyper-threads, or their memory, which no counter here shows.
// Of the second, half of the blocks stay in any case, the quietest, and of the last, ten
// placements: a loaded machine gives wide intervals rather than none. What happens in a
// submission's calls does not count: threads that crowd each other on purpose after a slow call
// would have exactly the slow blocks dropped.
void drop_disturbed_blocks(std::vector<Sample>& samples,
                           const std::vector<BlockConditions>& conditions);

// After the last block: blocks that were dropped because both baselines were slow come back, all of
// them, where the intervals without them are more than twice as wide. On a machine that is hardly
// ever quiet, quick baselines are luck, and choosing them makes every submission look slow. Not
// earlier: more blocks may make the quiet ones enough.
void take_back_lucky_choice(std::vector<Sample>& samples,
                            const std::vector<BlockConditions>& conditions);

}  // namespace kbench
