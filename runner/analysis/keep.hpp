// Which blocks count, and why the others do not: a function of the samples and of what surrounded
// their blocks, asked while measuring and again by every report, so that a better rule judges old
// runs anew. Dropped samples are kept and counted; only the derived numbers leave them out. Pure.
#pragma once

#include <span>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Says anew for every sample whether it is dropped, from the conditions of all blocks so far:
// - CUDA: the clock moved by more than 3 % inside the block, or lies below 75 % of the highest seen
//   in this attempt (throttling);
// - CPU: the kernel or the hypervisor took cores away for more than 2 % of the timed calls;
// - CPU: both baselines, each for itself, took more than 5 % longer than in their quietest
//   twentieth. Neither noise nor the luck of one's buffers does that to both: somebody shares the
//   cores as hyper-threads, or their memory, which no counter here shows.
// Of the second, half of the blocks stay in any case, the quietest, and of the last, ten
// placements: a loaded machine gives wide intervals rather than none. What happens in a
// submission's calls does not count: threads that crowd each other on purpose after a slow call
// would have exactly the slow blocks dropped.
void drop_disturbed_blocks(std::vector<Sample>& samples, std::span<const Block> conditions,
                           bool on_cpu);

// The same after the last block: blocks that were dropped because both baselines were slow come
// back, all of them, where the intervals without them are more than twice as wide. On a machine
// that is hardly ever quiet, quick baselines are luck, and choosing them makes every submission
// look slow. Not earlier: more blocks may make the quiet ones enough.
void drop_disturbed_blocks_at_the_end(std::vector<Sample>& samples,
                                      std::span<const Block> conditions, bool on_cpu);

// The last one for each attempt that counts. Rows of protocol 1 stay as they were judged: what
// surrounded their blocks was not stored.
void keep(Evaluation& evaluation);

}  // namespace kbench
