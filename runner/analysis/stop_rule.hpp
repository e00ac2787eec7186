// When to stop timing. A pure function of what was measured so far; the counts are the
// supervisor's, never the submission's.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

struct StopRule {
  int min_blocks = 10;
  int min_placements = 0;
  double min_seconds_a_side = 0.5;   // least time of each side; waived after enough_blocks
  int enough_blocks = 45;            // 90 calls a side: of 50 at a look, a few may be dropped
  double half_width = 0.03;          // relative, of each speed-up's sample interval
  double max_seconds = 15;           // seconds of timing after which a slow submission ends
  double longest_seconds = 120;      // seconds of timing after which every row ends
  int most_blocks_a_placement = 10;  // CPU: else as much time as the placement took to make
  // After how many placements the interval is looked at; the last look ends it. Its width alone
  // decides: stopping at the first verdict gives too many verdicts, and every look is a chance to
  // stop at a narrow interval that is narrow by luck.
  std::vector<int> looks;
  bool until_narrow = true;  // false: the least that the other fields ask for is enough
};

// CPU: placements (new buffers, new worker) are the units of the interval and addresses matter;
// CUDA: every block has new addresses and is a unit of its own. Without a submission nothing is
// ranked: then baselines get the least number of blocks, at one placement.
enum class Ranked { kNo, kYes };
[[nodiscard]] StopRule stop_rule_for(std::string_view device, Ranked ranked = Ranked::kYes);

// The rule for a second measurement, that is to confirm the first, not to be narrower than it.
[[nodiscard]] StopRule confirming(StopRule rule);

// The rule for a first impression: one placement, and the fewest blocks whose range holds a median
// at 95 % with one or two of them dropped. What lies between placements then comes from the
// calibration.
[[nodiscard]] StopRule quick_stop_rule(std::string_view device);

// True when there are enough blocks. `elapsed_seconds`: of timing. `candidate`: the submission, or
// the compiled baseline where nothing was submitted. What is so slow that it has not its blocks by
// `max_seconds` ends there.
[[nodiscard]] bool has_enough(const StopRule& rule, std::span<const Sample> samples, Side candidate,
                              double elapsed_seconds);

// Whether a second measurement has enough samples, which will count together with the first's. The
// looks are as planned; both measurements together must have enough. `both` is called at a look
// only.
[[nodiscard]] bool has_enough_together(const StopRule& rule, std::span<const Sample> second,
                                       const std::function<std::vector<Sample>()>& both,
                                       Side candidate, double elapsed_seconds);

}  // namespace kbench
