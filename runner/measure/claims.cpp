#include "runner/measure/claims.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

// Above the median of empty calls at the start, which is 5 to 12 us longer than the lower quartile
// of those made in the blocks, 154 honest evaluations of 56 to 176 calls on an H200 (kernels of
// 0.27 to 17 ms) showed 2 us more than half a percent of the claim at most; 858 times sixteen calls
// showed 33 us, and 237 times six, 40 us. Above that lower quartile ten evaluations of 100 and more
// calls showed 4 us at most, on a quiet host and beside 16 and 32 busy loops. What hides more is
// caught: an end that the end event does not cover showed 23 us and more on the same hosts, of 0.14
// ms. It does not grow with the noise of empty calls, nor with a submission's own.
constexpr double kPlainNs = 2e4;
constexpr double kPlainOfFewNs = 4e4;
constexpr std::size_t kManyCalls = 56;
constexpr double kPlainShare = 0.005;
// The strict clock also covers two copies by another process, which vary more.
constexpr double kStrictNs = 3e5;
constexpr double kStrictShare = 0.05;

bool counts(const Sample& sample) {
  return sample.side == Side::kSubmission && !sample.dropped && sample.claimed_ns;
}

// The claims, combined as in the estimate that ranks.
double ranked_claim_ns(std::span<const Sample> samples) {
  std::map<int, std::vector<double>> blocks;
  for (const Sample& sample : samples) {
    if (!counts(sample)) continue;
    blocks[sample.block].push_back(
        std::log(std::max(static_cast<double>(*sample.claimed_ns), 1.0)));
  }
  std::vector<double> means;
  means.reserve(blocks.size());
  for (const auto& [block, logs] : blocks) {
    double sum = 0;
    for (const double log : logs) sum += log;
    means.push_back(sum / static_cast<double>(logs.size()));
  }
  return means.empty() ? 0 : std::exp(median(std::move(means)));
}

// A clock's time of a call, less an empty call.
using Clock = std::function<double(const Sample&)>;

// Time by which calls outlast their claims: the larger of two lower quartiles. The first is of the
// clock's times above the ranked claim, and finds claims that are forged in some calls. The second
// is of the clock's times above each call's own claim, and finds claims that are forged in calls
// which take longer on purpose. A busy host delays some calls, never three quarters of them twice.
double excess_ns(std::span<const Sample> samples, double ranked_claim_ns, const Clock& clock) {
  std::vector<double> above_ranked;
  std::vector<double> above_own;
  for (const Sample& sample : samples) {
    if (!counts(sample)) continue;
    above_ranked.push_back(clock(sample) - ranked_claim_ns);
    above_own.push_back(clock(sample) - static_cast<double>(*sample.claimed_ns));
  }
  return std::max(lower_quartile(std::move(above_ranked)), lower_quartile(std::move(above_own)));
}

std::optional<std::string> contradicts(double claimed_ns, double excess_ns, double slack_ns,
                                       const char* clock) {
  if (excess_ns <= slack_ns) return std::nullopt;
  return fmt::format(
      "the worker claims {:.3f} ms a call, the supervisor's clock {} shows {:.3f} ms more than an "
      "empty call explains; {:.3f} ms are granted",
      claimed_ns * 1e-6, clock, excess_ns * 1e-6, slack_ns * 1e-6);
}

constexpr std::size_t kLastNullCalls = 5;
// CPU: an empty call that took more than so many times the fastest one waited for a core. On two
// cores the median of eleven is 1.1 to 1.4 times the fastest, quiet or beside four busy loops.
// Where all five of a placement had waited, 2.7 ms were taken off each call of that placement, and
// a call that moved 64 MB took "1 us".
constexpr double kMostOfFastest = 2;
// CUDA: slack of a single call. Contexts take turns, and a turn may come late.
constexpr double kCudaLateNs = 3e5;
constexpr double kDelayNs = 5e5;
constexpr double kFewLate = 0.1;

}  // namespace

double clock_slack_ns(double claimed_ns, std::size_t calls) {
  return (calls < kManyCalls ? kPlainOfFewNs : kPlainNs) + kPlainShare * claimed_ns;
}

double strict_slack_ns(double claimed_ns) { return kStrictNs + kStrictShare * claimed_ns; }

std::optional<std::string> clock_contradiction(std::span<const Sample> samples,
                                               const EmptyCalls& empty) {
  const double claimed = ranked_claim_ns(samples);
  if (claimed == 0) return std::nullopt;
  const double plain = excess_ns(samples, claimed, [&](const Sample& sample) {
    return static_cast<double>(sample.wall_ns.value_or(0)) - empty.wall_ns;
  });
  const double strict = excess_ns(samples, claimed, [&](const Sample& sample) {
    return static_cast<double>(sample.strict_ns.value_or(0)) - empty.strict_ns;
  });
  if (stands(Defence::kClaimsBounded)) {
    const auto calls =
        static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), counts));
    if (auto words = contradicts(claimed, plain, clock_slack_ns(claimed, calls), "until done"))
      return words;
  }
  if (!stands(Defence::kStrictClock)) return std::nullopt;
  return contradicts(claimed, strict, strict_slack_ns(claimed),
                     "from showing the inputs to having the outputs");
}

bool came_late(const NullCalls& calls) {
  if (calls.wall_ns.empty()) return false;
  const double fastest = *std::min_element(calls.wall_ns.begin(), calls.wall_ns.end());
  const auto late = std::count_if(calls.wall_ns.begin(), calls.wall_ns.end(),
                                  [&](double wall_ns) { return wall_ns > fastest + kDelayNs; });
  return static_cast<double>(late) > kFewLate * static_cast<double>(calls.wall_ns.size());
}

void ClaimLedger::calibrate(NullCalls nulls) {
  nulls_ = std::move(nulls);
  own_wall_ns_.clear();
  for (const double wall_ns : nulls_.wall_ns)
    fastest_wall_ns_ = std::min(fastest_wall_ns_, wall_ns);
}

void ClaimLedger::add_empty_call(double wall_ns) {
  fastest_wall_ns_ = std::min(fastest_wall_ns_, wall_ns);
  nulls_.wall_ns.push_back(wall_ns);
  while (nulls_.wall_ns.size() > kLastNullCalls) nulls_.wall_ns.erase(nulls_.wall_ns.begin());
}

// Nanoseconds that an empty call usually takes.
double ClaimLedger::usual_wall_ns() const {
  const double middle = median(nulls_.wall_ns);
  return on_cpu_ ? std::min(middle, kMostOfFastest * fastest_wall_ns_) : middle;
}

std::int64_t ClaimLedger::null_wall_ns() const {
  return static_cast<std::int64_t>(usual_wall_ns());
}

std::int64_t ClaimLedger::null_strict_ns() const {
  return static_cast<std::int64_t>(median(nulls_.strict_ns));
}

std::int64_t ClaimLedger::time_of(std::int64_t claimed_ns, std::int64_t wall_ns, int calls) const {
  if (!calibrated()) return claimed_ns;
  const double null = usual_wall_ns();
  // Every call of a sample begins and ends with a message.
  const auto above = static_cast<double>(wall_ns) - calls * null;
  if (on_cpu_) {
    if (!stands(Defence::kClaimsBounded)) return claimed_ns;
    return std::max(static_cast<std::int64_t>(above), kLeastCpuCallNs * calls);
  }
  // The grant: as far above the slowest empty call as that is above the middle one. Honest calls
  // stay below.
  const double slowest = *std::max_element(nulls_.wall_ns.begin(), nulls_.wall_ns.end());
  const double bound = above - std::min(2 * (slowest - null), kCudaLateNs);
  return std::max(static_cast<std::int64_t>(bound), claimed_ns);
}

std::optional<std::string> ClaimLedger::contradiction(std::span<const Sample> samples) const {
  if (on_cpu_ || !calibrated()) return std::nullopt;
  return clock_contradiction(samples, {granted_wall_ns(), median(nulls_.strict_ns)});
}

double ClaimLedger::granted_wall_ns() const {
  const double trusted = lower_quartile(nulls_.wall_ns);
  return own_wall_ns_.empty() ? trusted : std::min(trusted, lower_quartile(own_wall_ns_));
}

}  // namespace kbench
