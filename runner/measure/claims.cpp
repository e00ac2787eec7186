#include "runner/measure/claims.hpp"

#include <algorithm>

#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLastNullCalls = 5;
// CUDA, of a single call: contexts take turns, and a turn may come late.
constexpr double kCudaLateNs = 3e5;
constexpr double kDelayNs = 5e5;
constexpr double kFewLate = 0.1;

}  // namespace

bool came_late(const NullCalls& calls) {
  if (calls.wall_ns.empty()) return false;
  const double fastest = *std::min_element(calls.wall_ns.begin(), calls.wall_ns.end());
  const auto late = std::count_if(calls.wall_ns.begin(), calls.wall_ns.end(),
                                  [&](double wall_ns) { return wall_ns > fastest + kDelayNs; });
  return static_cast<double>(late) > kFewLate * static_cast<double>(calls.wall_ns.size());
}

void ClaimLedger::add_empty_call(double wall_ns) {
  nulls_.wall_ns.push_back(wall_ns);
  while (nulls_.wall_ns.size() > kLastNullCalls) nulls_.wall_ns.erase(nulls_.wall_ns.begin());
}

std::int64_t ClaimLedger::null_wall_ns() const {
  return static_cast<std::int64_t>(median(nulls_.wall_ns));
}

std::int64_t ClaimLedger::null_strict_ns() const {
  return static_cast<std::int64_t>(median(nulls_.strict_ns));
}

std::int64_t ClaimLedger::time_of(std::int64_t claimed_ns, std::int64_t wall_ns, int calls) const {
  if (!calibrated()) return claimed_ns;
  const double null = median(nulls_.wall_ns);
  // Every call of a sample begins and ends with a message.
  const auto above = static_cast<double>(wall_ns) - calls * null;
  if (on_cpu_) {
    if (!stands(Defence::kClaimsBounded)) return claimed_ns;
    return std::max(static_cast<std::int64_t>(above), kLeastCpuCallNs * calls);
  }
  // As far above the slowest empty call as that is above the middle one: honest calls stay below.
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
