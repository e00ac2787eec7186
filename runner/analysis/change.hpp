// By how much a submission became faster or slower from one run to another, as the ratio of its two
// speed-ups over the same baseline: a machine that is slower as a whole slows the baseline too, and
// cancels. Pure.
#pragma once

#include "runner/analysis/speedup.hpp"

namespace kbench {

// On the log scale: above 0 the later run is faster.
struct LogChange {
  double estimate = 0;
  double low = 0;
  double high = 0;
  double p = 1;  // two-sided p-value of "nothing changed", from the half interval towards zero
};

// The difference of the logarithms. The halves of both intervals, which each hold what the samples
// of the run tell and the device's deviation between runs, are added in quadrature: with a the
// earlier and b the later run,
//   low = ln b - ln a - hypot(ln b - ln b.low, ln a.high - ln a), and likewise for `high`.
// A half is taken for 1.96 standard deviations of a normal distribution. p is 1 where an interval
// says nothing (an end at zero or infinity).
[[nodiscard]] LogChange change_between(const Speedup& before, const Speedup& after);

// The two-sided p-value of a normal deviation of so many standard deviations; 1 for NaN.
[[nodiscard]] double two_sided_p(double deviations);

}  // namespace kbench
