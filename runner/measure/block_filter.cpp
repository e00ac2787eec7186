#include "runner/measure/block_filter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr double kLargestDrift = 0.03;
constexpr double kLowestShare = 0.75;

std::string reason_to_drop(const BlockClock& clock, std::int64_t highest_khz) {
  if (clock.start_khz <= 0 || clock.end_khz <= 0) return "";
  const auto start = static_cast<double>(clock.start_khz);
  const auto end = static_cast<double>(clock.end_khz);
  if (std::min(start, end) < kLowestShare * static_cast<double>(highest_khz))
    return fmt::format("SM clock {:.0f} MHz: throttled", std::min(start, end) / 1000);
  if (std::abs(end - start) > kLargestDrift * start)
    return fmt::format("SM clock moved from {:.0f} to {:.0f} MHz", start / 1000, end / 1000);
  return "";
}

}  // namespace

void drop_throttled_blocks(std::vector<Sample>& samples, const std::vector<BlockClock>& clocks) {
  std::int64_t highest = 0;
  for (const BlockClock& clock : clocks)
    highest = std::max({highest, clock.start_khz, clock.end_khz});
  for (const BlockClock& clock : clocks) {
    const std::string reason = reason_to_drop(clock, highest);
    for (Sample& sample : samples) {
      if (sample.block != clock.block) continue;
      if (clock.start_khz > 0) sample.sm_clock_khz = clock.start_khz;
      if (reason.empty() || sample.dropped) continue;
      sample.dropped = true;
      sample.drop_reason = reason;
    }
  }
}

}  // namespace kbench
