// The time of a sample, and whether the supervisor's clocks contradict the times that a worker
// claims. On a CPU its own words count for nothing: the time is what the plain clock, from go to
// done, shows above empty calls. On CUDA device events are finer, so there the claim is the time
// and two clocks bound it: the plain one, and the strict one from before the inputs become visible
// until the outputs are copied away. Empty calls take the same path; they are made before anything
// foreign is loaded. Reads no clock itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/measure/clock_bound.hpp"

namespace kbench {

// Empty calls of one player, nanoseconds.
struct NullCalls {
  std::vector<double> wall_ns;
  std::vector<double> strict_ns;
};

class ClaimLedger {
 public:
  explicit ClaimLedger(std::string_view device) : on_cpu_(device == "cpu") {}

  // A player came that is not calibrated yet: what it claims is believed and not judged.
  void forget_player() { nulls_ = {}; }
  // Empty calls of the player whose calls are timed from now on.
  void calibrate(NullCalls nulls) { nulls_ = std::move(nulls); }
  // One more on a CPU; only the last few count, so that they are of the same time as the calls.
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
  bool on_cpu_;
  NullCalls nulls_;
};

}  // namespace kbench
