// What the supervisor's clocks say about the times that a worker claims. Two clocks run in every
// call: the plain one from go to done, and the strict one from before the inputs become visible
// until the outputs are copied away. Empty calls take the same path and show what both clocks see
// when nothing is computed; they are made before anything foreign is loaded. Called by the call
// protocol and the evaluator; reads no clock itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/measure/clock_bound.hpp"

namespace kbench {

// Empty calls of one worker, nanoseconds.
struct NullCalls {
  std::vector<double> wall_ns;
  std::vector<double> strict_ns;
};

class ClaimLedger {
 public:
  explicit ClaimLedger(std::string_view device) : on_cpu_(device == "cpu") {}

  // A worker came that is not calibrated yet: what it claims is believed and not judged.
  void forget_worker() { nulls_ = {}; }
  // Empty calls of the worker whose calls are entered from now on.
  void calibrate(NullCalls nulls);
  [[nodiscard]] bool calibrated() const { return !nulls_.wall_ns.empty(); }
  [[nodiscard]] std::int64_t null_wall_ns() const;  // medians
  [[nodiscard]] std::int64_t null_strict_ns() const;

  // Whether another program ran when a call had ended. Where that is usual the machine is busy: a
  // worker's threads wait for a core before its claim begins, and it takes an excess in every call
  // to contradict the claims.
  void saw_others(bool ran);
  [[nodiscard]] bool machine_is_busy() const;

  // Enters a sample of so many calls and returns its time. On a CPU that is what the plain clock
  // shows above as many empty calls, whatever is claimed. On CUDA it is the claim, whose events are
  // finer than that, or where the clock shows more than the slowest empty call explains, the
  // difference.
  std::int64_t enter(std::int64_t claimed_ns, std::int64_t wall_ns, std::int64_t strict_ns,
                     int calls = 1);

  // Words for the reader when the clocks contradict the claims; on a CPU it needs a few calls to
  // say anything. Samples: all timed visits.
  [[nodiscard]] std::optional<std::string> contradiction(std::span<const Sample> samples) const;

 private:
  struct Excess {
    std::vector<double> ns;  // clock - claim - median of the empty calls, one for each call
    double null_spread = 0;  // error of the empty calls' median, the largest seen
  };
  [[nodiscard]] std::optional<std::string> judge(const Excess& excess, double allowance,
                                                 const char* clock) const;

  bool on_cpu_;
  std::size_t looks_ = 0;
  std::size_t others_seen_ = 0;
  NullCalls nulls_;
  std::vector<double> claims_;
  Excess plain_;
  Excess strict_;
};

}  // namespace kbench
