// The time of a sample, and whether the supervisor's clocks contradict the times that a worker
// claims.
//
// On a CPU a worker's own words count for nothing: the time is what the plain clock, from go to
// done, shows above empty calls. On CUDA device events are finer. There the claim is the time, and
// two clocks bound it: the plain one, and the strict one, from before the inputs become visible
// until the outputs are copied away.
//
// The bound is on the very number that ranks a submission: the mean of a block's logarithms, the
// median over blocks. The lower quartile of the clocks' figures counts. A busy host only ever adds
// to them, and never delays three quarters of the calls in two measurements.
//
// Empty calls take the same path. They are made before anything foreign is loaded, and on CUDA once
// more in the blocks, by then in a process that is not trusted. Those can only lower what is
// granted: a host that was busy at the start would hide a cheat. On a CPU an empty call counts for
// at most twice the fastest of its side, for the same reason. Reads no clock itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Empty calls of one player, nanoseconds.
struct NullCalls {
  std::vector<double> wall_ns;
  std::vector<double> strict_ns;
};

// Whether the host delayed the empty calls: more than a tenth came half a millisecond after the
// fastest. On a quiet H200 with 16 cores none of 25 did; beside 16 busy loops or copies of memory
// three or more did.
[[nodiscard]] bool came_late(const NullCalls& calls);

class ClaimLedger {
 public:
  explicit ClaimLedger(std::string_view device) : on_cpu_(device == "cpu") {}

  // Forgets the player: a new one came that is not calibrated yet, and whose claims are believed
  // and not judged. The fastest empty call of the players before it is remembered.
  void forget_player() { calibrate({}); }
  // Sets the empty calls of the player whose calls are timed from now on.
  void calibrate(NullCalls nulls);
  // Adds an empty call on CUDA, by a worker that has loaded the submission and may make it as slow
  // as it likes.
  void add_own_empty_call(double wall_ns) { own_wall_ns_.push_back(wall_ns); }
  [[nodiscard]] const NullCalls& empty_calls() const { return nulls_; }  // trusted ones
  // Adds an empty call on a CPU. Only the last few count, so that they are as old as the calls.
  void add_empty_call(double wall_ns);
  [[nodiscard]] bool calibrated() const { return !nulls_.wall_ns.empty(); }
  [[nodiscard]] std::int64_t null_wall_ns() const;  // medians
  [[nodiscard]] std::int64_t null_strict_ns() const;

  // The time of a sample of so many calls. On CUDA it is the claim, or where the clock shows more
  // than the slowest empty call explains, the difference.
  [[nodiscard]] std::int64_t time_of(std::int64_t claimed_ns, std::int64_t wall_ns,
                                     int calls = 1) const;

  // CUDA: words for the reader when the clocks contradict the claims. Samples: all timed visits.
  [[nodiscard]] std::optional<std::string> contradiction(std::span<const Sample> samples) const;

 private:
  // Nanoseconds granted for the empty call in each timed one.
  [[nodiscard]] double granted_wall_ns() const;
  [[nodiscard]] double usual_wall_ns() const;

  bool on_cpu_;
  NullCalls nulls_;
  double fastest_wall_ns_ = std::numeric_limits<double>::infinity();  // all players'
  std::vector<double> own_wall_ns_;
};

}  // namespace kbench
