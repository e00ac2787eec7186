// Which blocks count, and why the others do not: a function of the samples and of what surrounded
// their blocks, asked while measuring and again by every report, so that a better rule judges old
// runs anew. Dropped samples are kept and counted; only the derived numbers leave them out. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Says anew for every sample whether it is dropped, from the conditions of all blocks so far, and
// for nothing that one of the sides did:
// - CUDA: the clock moved by more than 3 % inside the block, or lies below 75 % of the highest seen
//   in this attempt (throttling);
// - the hypervisor took cores away for more than 2 % of the timed calls;
// - CPU: the sentinel, work of the oracle that is the same in every block, took 30 % longer than
//   its own lower quartile.
// By the last two rules at most the louder half of the blocks is dropped: a loaded machine gives
// wide intervals rather than none. A side's own time says nothing: dropping the blocks in which
// both baselines were slow selects on the numerator, and cost submissions 1 to 4 % (simulated).
void drop_disturbed_blocks(std::vector<Sample>& samples, std::span<const Block> conditions,
                           bool on_cpu);

// CPU: the blocks whose calls count, and those that other programs disturbed. Both signs may hold
// of one block.
struct BusyBlocks {
  std::size_t all = 0;
  std::size_t disturbed = 0;
  std::size_t crowded = 0;  // a stranger ran after more than a quarter of the calls
  std::size_t slowed = 0;   // the sentinel was slow

  [[nodiscard]] bool most_are() const { return 2 * disturbed > all; }
};
[[nodiscard]] BusyBlocks busy_blocks(const Evaluation& evaluation);

// CPU: more than half of the blocks were disturbed. Then what was measured is shown, and no verdict
// is drawn from it. CUDA: the label `busy_machine`, which a row gets where the host delays empty
// calls and clocks contradict each other (measure/call_protocol).
[[nodiscard]] bool machine_was_busy(const Evaluation& evaluation);

// drop_disturbed_blocks() for each attempt that counts. Rows of protocol 1 stay as they were
// judged: what surrounded their blocks was not stored.
void keep(Evaluation& evaluation);

}  // namespace kbench
