#include "runner/measure/claims.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr std::size_t kFewestCalls = 5;
// Of the claim itself: a clock that runs for milliseconds sees the scheduler too.
constexpr double kShare = 0.05;
// On a CPU no claim counts, but one that the clock shows that much more than is a lie. Of 60 honest
// ones the middle call took -40 to +67 us more than it claimed and an empty call took, one 166 us.
constexpr double kCpuPlainNs = 1.5e5;
// What the clock is taken to have seen at least, where an empty call took longer than a real one.
constexpr std::int64_t kLeastCpuNs = 1'000;
// CUDA, of a single call: contexts take turns, and a turn may come late.
constexpr double kCudaLateNs = 3e5;

// The error of a median of n values, from their spread: 1.25 / sqrt(n) standard deviations.
double median_error(double deviation, std::size_t n) {
  return 1.4826 * 1.25 * deviation / std::sqrt(static_cast<double>(std::max<std::size_t>(n, 1)));
}

}  // namespace

void ClaimLedger::calibrate(NullCalls nulls) {
  nulls_ = std::move(nulls);
  const auto error = [](const std::vector<double>& values) {
    return median_error(median_absolute_deviation(values), values.size());
  };
  plain_.null_spread = std::max(plain_.null_spread, error(nulls_.wall_ns));
  strict_.null_spread = std::max(strict_.null_spread, error(nulls_.strict_ns));
}

std::int64_t ClaimLedger::null_wall_ns() const {
  return static_cast<std::int64_t>(median(nulls_.wall_ns));
}

std::int64_t ClaimLedger::null_strict_ns() const {
  return static_cast<std::int64_t>(median(nulls_.strict_ns));
}

std::int64_t ClaimLedger::enter(std::int64_t claimed_ns, std::int64_t wall_ns,
                                std::int64_t strict_ns, int calls) {
  if (!calibrated()) return claimed_ns;
  const auto claimed = static_cast<double>(claimed_ns);
  const double null = median(nulls_.wall_ns);
  // Every call of a sample begins and ends with a message.
  wall_ns -= static_cast<std::int64_t>((calls - 1) * null);
  claims_.push_back(claimed);
  plain_.ns.push_back(static_cast<double>(wall_ns) - claimed - null);
  strict_.ns.push_back(static_cast<double>(strict_ns) - claimed - median(nulls_.strict_ns));
  if (on_cpu_) {
    if (!stands(Defence::kClaimsBounded)) return claimed_ns;
    return std::max(wall_ns - static_cast<std::int64_t>(null), kLeastCpuNs * calls);
  }
  // As far above the slowest empty call as that is above the middle one: honest calls stay below.
  const double slowest = *std::max_element(nulls_.wall_ns.begin(), nulls_.wall_ns.end());
  const double bound =
      static_cast<double>(wall_ns) - null - std::min(2 * (slowest - null), kCudaLateNs);
  return bound > claimed ? static_cast<std::int64_t>(bound) : claimed_ns;
}

void ClaimLedger::saw_others(bool ran) {
  ++looks_;
  if (ran) ++others_seen_;
}

bool ClaimLedger::machine_is_busy() const { return 4 * others_seen_ > looks_; }

std::optional<std::string> ClaimLedger::contradiction(std::span<const Sample> samples) const {
  if (!on_cpu_) {
    if (!calibrated()) return std::nullopt;
    return clock_contradiction(samples, {median(nulls_.wall_ns), median(nulls_.strict_ns),
                                         plain_.null_spread, strict_.null_spread});
  }
  if (claims_.size() < kFewestCalls || !stands(Defence::kClaimsBounded)) return std::nullopt;
  // The strict clock finds nothing here: a worker stands still before "go" and after "done", and
  // the oracle's copies in between vary by milliseconds.
  return judge(plain_, kCpuPlainNs, "from go to done");
}

std::optional<std::string> ClaimLedger::judge(const Excess& excess, double allowance,
                                              const char* clock) const {
  const double claimed = median(claims_);
  const double limit = allowance + kShare * claimed;
  const bool busy = machine_is_busy();
  const double least = *std::min_element(excess.ns.begin(), excess.ns.end());
  const double usual = busy ? least : median(excess.ns);
  // Threads of a worker that has just been killed may still slow the empty calls of the next one
  // down: that excuses no more than the allowance.
  double null_error = std::min(excess.null_spread, allowance);
  if (busy) null_error = 0;
  const double error =
      median_error(median_absolute_deviation(excess.ns), excess.ns.size()) + null_error;
  // However far the calls lie apart, noise leaves some of them near an empty one, another program
  // does too: of 240 honest evaluations beside one, 236 had such a call among six.
  const bool never_near = least > 2 * limit + 3 * null_error;
  if (usual <= limit + 3 * error && !never_near) return std::nullopt;
  return fmt::format(
      "the worker claims {:.3f} ms a sample, the supervisor's clock {} shows {:.3f} ms more than "
      "an empty call explains",
      claimed * 1e-6, clock, usual * 1e-6);
}

}  // namespace kbench
