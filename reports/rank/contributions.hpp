// Contributions of one task to each score of an agent, as a function of its result there and of
// luck. In a header, since a page takes it tens of millions of times: what it makes goes straight
// into the caller's sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reports/rank/score.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {

// A speed-up beyond these is not believed to be worth more, or less: one row decides no mean.
inline const double kLeastLog = std::log(0.1);
inline const double kMostLog = std::log(100);
inline const double kMilestoneLog = std::log(kMilestoneSpeedup);

// A speed-up that luck has moved. Without one nothing is fast, and all comparisons are false.
struct MovedRatio {
  double log = std::numeric_limits<double>::quiet_NaN();
  double log_low = std::numeric_limits<double>::quiet_NaN();  // not a number: nothing is sure

  MovedRatio(const std::optional<Outcome::Ratio>& ratio, double luck) {
    if (!ratio) return;
    log = ratio->log + luck * ratio->deviation;
    if (ratio->sure) log_low = ratio->log_low + luck * ratio->deviation;
  }
  [[nodiscard]] double is_above(double log_p) const { return log > log_p ? 1 : 0; }
  [[nodiscard]] double is_surely_above(double log_p) const { return log_low > log_p ? 1 : 0; }
  // The contribution is left out where the row is correct and its speed-up does not count.
  [[nodiscard]] double penalised(bool correct) const {
    if (std::isnan(log)) return correct ? log : kLeastLog;
    return std::clamp(log, kLeastLog, kMostLog);
  }
};

// Calls take(score, value) for every score, with a number to be averaged (a logarithm for
// kGeometricMean), NaN where the task is left out. `outcome` is null where nothing was submitted;
// `log_p` the logarithm of the threshold of fast_p, after Ouyang et al., "KernelBench: Can LLMs
// Write Efficient GPU Kernels?", 2025, section 3.3; `luck` moves the speed-ups by so many of their
// standard deviations.
template <typename Take>
void contribute(const Outcome* outcome, double log_p, double luck, Take take) {
  static const Outcome nothing;
  const Outcome& of = outcome == nullptr ? nothing : *outcome;
  const MovedRatio eager(of.eager, luck);
  const MovedRatio compiled(of.compiled, luck);
  take(Score::kCoverage, outcome != nullptr ? 1.0 : 0.0);
  take(Score::kCorrectness, of.correct ? 1.0 : 0.0);
  take(Score::kSureFastEager, eager.is_surely_above(log_p));
  take(Score::kFastEager, eager.is_above(log_p));
  take(Score::kMeanEager, eager.penalised(of.correct));
  take(Score::kCorrectMeanEager, eager.log);
  take(Score::kSureFastCompiled, compiled.is_surely_above(log_p));
  take(Score::kFastCompiled, compiled.is_above(log_p));
  take(Score::kMeanCompiled, compiled.penalised(of.correct));
  take(Score::kCorrectMeanCompiled, compiled.log);
  constexpr double kLeftOut = std::numeric_limits<double>::quiet_NaN();
  // If the vendor's library was not called beside a submission, it is neither faster than that nor
  // not.
  const MovedRatio vendor(of.vendor, luck);
  const bool is_left_out = of.correct && !of.has_vendor;
  take(Score::kSureFastVendor, is_left_out ? kLeftOut : vendor.is_surely_above(log_p));
  take(Score::kFastVendor, is_left_out ? kLeftOut : vendor.is_above(log_p));
  take(Score::kMeanVendor, vendor.penalised(of.correct));
  take(Score::kCorrectMeanVendor, vendor.log);
  take(Score::kShareOfLimit, of.share_of_limit.value_or(of.correct ? kLeftOut : 0));
  take(Score::kMilestone,
       milestone_reward(of.correct, eager.log > kMilestoneLog, compiled.log > kMilestoneLog));
}

}  // namespace kbench
