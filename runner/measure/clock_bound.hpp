// CUDA: whether the supervisor's clocks contradict the times that a submission claims, in the very
// number that ranks it. A claim and the two clocks are put through the same estimate (the mean of a
// block's logarithms, the median over blocks), so that whatever lies the claims are made of, calls
// here and there or all of them, what they gain is what is compared. Pure; used by the call
// protocol.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Empty calls by a worker that had loaded nothing foreign: medians, nanoseconds.
struct EmptyCalls {
  double wall_ns = 0;
  double strict_ns = 0;
};

// What a clock may show above a claim once an empty call is taken off, nanoseconds.
[[nodiscard]] double clock_slack_ns(double claimed_ns);
[[nodiscard]] double strict_slack_ns(double claimed_ns);

// Words for the reader where a clock shows more. Samples: all timed visits.
[[nodiscard]] std::optional<std::string> clock_contradiction(std::span<const Sample> samples,
                                                             const EmptyCalls& empty);

}  // namespace kbench
