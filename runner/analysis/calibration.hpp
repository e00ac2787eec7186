// Differences between equal runs of a device, estimated from runs of the same submissions: the part
// of their spread that their own samples do not explain. And whether published intervals hold: how
// many of them contain what the other runs say. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Evaluations of one submission, one from each run, none of them by another rule or of another
// size.
using EqualRuns = std::vector<Evaluation>;

// Root mean squares over all submissions and both baselines of what is left of the variance of
// log speed-ups once the variance within is taken off: between runs, and between the placements of
// a run. Fewer than two runs of anything: the least of this kind of device. `measured_at` stays
// empty.
[[nodiscard]] Calibration calibrate(std::span<const EqualRuns> submissions,
                                    std::string_view device);

// Gives each run's evaluations the calibration of all other runs: intervals that are judged beside
// those runs must not come from a spread that was fitted to them.
void calibrate_by_others(std::span<EqualRuns> submissions, std::string_view device);

struct Coverage {
  int held = 0;  // intervals that contain the median of the other runs' estimates
  int total = 0;
  double median_half_width = 0;  // relative
};
// The coverage of the intervals that the evaluations' own calibration makes.
[[nodiscard]] Coverage coverage(std::span<const EqualRuns> submissions);

}  // namespace kbench
