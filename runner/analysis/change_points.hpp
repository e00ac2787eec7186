// The points at which a series of speed-ups changes its level. Pure.
//
// The rule, binary segmentation: of all places at which the series can be cut in two, take the one
// where the weighted means of both parts differ by the most standard errors (a speed-up weighs by
// the inverse square of its interval's half-width on the log scale). The series is cut there if the
// difference holds at 95 %, corrected by Holm for the number of places, which for the first of them
// is that number times its p-value; then both parts are looked at in the same way. Nothing is drawn
// at random: the same series has the same change points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runner/analysis/speedup.hpp"

namespace kbench {

struct ChangePoint {
  std::size_t first = 0;  // index of the first speed-up of the new level
  double before = 0;      // levels as ratios: weighted geometric means of the two parts
  double after = 0;
  double p = 1;  // corrected
};

// In order of the series, which is in order of time. Levels reach from one change point to the
// next. A speed-up whose interval says nothing (an end at zero or infinity) weighs nothing.
[[nodiscard]] std::vector<ChangePoint> find_change_points(std::span<const Speedup> series);

}  // namespace kbench
