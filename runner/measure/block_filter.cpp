#include "runner/measure/block_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr double kLargestDrift = 0.03;
constexpr double kLowestShare = 0.75;
constexpr double kLargestLoss = 0.02;
// Being switched out and in again, with colder caches; the time away comes on top of it.
constexpr double kSwitchNs = 1e5;
// Quiet calls of 6,000 launches lie within 10 % of each other; a neighbour on the machine adds 20
// to 50 % for seconds (H200, virtual machine).
constexpr double kLargestExcess = 0.15;

std::string throttled(const BlockConditions& block, std::int64_t highest_khz) {
  if (block.start_khz <= 0 || block.end_khz <= 0) return "";
  const auto start = static_cast<double>(block.start_khz);
  const auto end = static_cast<double>(block.end_khz);
  if (std::min(start, end) < kLowestShare * static_cast<double>(highest_khz))
    return fmt::format("SM clock {:.0f} MHz: throttled", std::min(start, end) / 1000);
  if (std::abs(end - start) > kLargestDrift * start)
    return fmt::format("SM clock moved from {:.0f} to {:.0f} MHz", start / 1000, end / 1000);
  return "";
}

// The share of a block's timed calls that others took.
double loss(const BlockConditions& block, double timed_ns) {
  if (timed_ns <= 0) return 0;
  return (static_cast<double>(block.stolen_ns) +
          kSwitchNs * static_cast<double>(block.involuntary_switches)) /
         timed_ns;
}

using Reasons = std::map<int, std::string>;  // by block

struct Disturbed {
  int block = 0;
  double by = 0;
  std::string reason;
};

std::vector<Disturbed> whose_cores_were_taken(const std::vector<BlockConditions>& conditions,
                                              const std::map<int, double>& timed_ns) {
  std::vector<Disturbed> found;
  for (const BlockConditions& block : conditions) {
    const auto timed = timed_ns.find(block.block);
    const double lost = timed == timed_ns.end() ? 0 : loss(block, timed->second);
    if (lost <= kLargestLoss) continue;
    found.push_back(
        {block.block, lost,
         fmt::format("others took the cores: {} involuntary switches, {:.0f} ms stolen",
                     block.involuntary_switches, static_cast<double>(block.stolen_ns) * 1e-6)});
  }
  return found;
}

// What launching takes on the host as it is when nobody disturbs it, by side, nanoseconds.
std::map<Side, double> quiet_launching(const std::vector<BlockConditions>& conditions) {
  std::map<Side, std::vector<double>> all;
  for (const BlockConditions& block : conditions) {
    for (const Launching& launching : block.launchings)
      all[launching.side].push_back(static_cast<double>(launching.ns));
  }
  std::map<Side, double> quiet;
  for (auto& [side, times] : all) {
    const auto tenth = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
    std::nth_element(times.begin(), tenth, times.end());
    quiet[side] = std::max(*tenth, 1.0);
  }
  return quiet;
}

std::vector<Disturbed> slowly_launched(const std::vector<BlockConditions>& conditions) {
  auto quiet = quiet_launching(conditions);
  std::vector<Disturbed> found;
  for (const BlockConditions& block : conditions) {
    double sum = 0;
    for (const Launching& launching : block.launchings)
      sum += static_cast<double>(launching.ns) / quiet[launching.side];
    const double excess =
        sum / std::max<double>(static_cast<double>(block.launchings.size()), 1) - 1;
    if (excess <= kLargestExcess) continue;
    found.push_back({block.block, excess,
                     fmt::format("others disturbed the host: launching took {:.0f} % longer than "
                                 "in quiet calls",
                                 100 * excess)});
  }
  return found;
}

// The worst, at most half of all blocks.
void drop_worst(std::vector<Disturbed> found, std::size_t blocks, Reasons& reasons) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.by > b.by; });
  if (found.size() > blocks / 2) found.resize(blocks / 2);
  for (Disturbed& block : found) reasons[block.block] = std::move(block.reason);
}

}  // namespace

void drop_disturbed_blocks(std::vector<Sample>& samples,
                           const std::vector<BlockConditions>& conditions) {
  std::int64_t highest = 0;
  for (const BlockConditions& block : conditions)
    highest = std::max({highest, block.start_khz, block.end_khz});
  std::map<int, double> timed_ns;
  for (const Sample& sample : samples)
    timed_ns[sample.block] += static_cast<double>(sample.time_ns);
  Reasons reasons;
  std::map<int, std::int64_t> clocks;
  drop_worst(whose_cores_were_taken(conditions, timed_ns), conditions.size(), reasons);
  drop_worst(slowly_launched(conditions), conditions.size(), reasons);
  for (const BlockConditions& block : conditions) {
    if (block.start_khz > 0) clocks[block.block] = block.start_khz;
    if (std::string reason = throttled(block, highest); !reason.empty())
      reasons[block.block] = std::move(reason);
  }
  for (Sample& sample : samples) {
    const auto reason = reasons.find(sample.block);
    sample.dropped = reason != reasons.end();
    sample.drop_reason = sample.dropped ? reason->second : "";
    if (const auto clock = clocks.find(sample.block); clock != clocks.end())
      sample.sm_clock_khz = clock->second;
  }
}

}  // namespace kbench
