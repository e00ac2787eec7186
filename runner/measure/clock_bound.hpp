// CUDA: whether the supervisor's clocks contradict the times that a submission claims, in the very
// number that ranks it (the mean of a block's logarithms, the median over blocks). Of the clocks'
// figures the lower quartile counts: what delays a call on a busy host only ever adds to them, and
// three quarters of the calls, in two measurements, are delayed by nothing but the submission.
// Pure; used by the call protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Nanoseconds of an empty call on each clock.
struct EmptyCalls {
  double wall_ns = 0;    // lower quartile, as of the calls
  double strict_ns = 0;  // median
};

// Nanoseconds that a clock may show above a claim once an empty call is taken off. More for few
// calls, as in `--quick`.
[[nodiscard]] double clock_slack_ns(double claimed_ns, std::size_t calls);
[[nodiscard]] double strict_slack_ns(double claimed_ns);

// Words for the reader where a clock shows more. Samples: all timed visits.
[[nodiscard]] std::optional<std::string> clock_contradiction(std::span<const Sample> samples,
                                                             const EmptyCalls& empty);

}  // namespace kbench
