#include "runner/measure/block_filter.hpp"

#include <algorithm>
#include <cmath>
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

// The worst, at most half of them.
void find_disturbed(const std::vector<BlockConditions>& conditions,
                    const std::map<int, double>& timed_ns, Reasons& reasons) {
  std::vector<std::pair<double, const BlockConditions*>> blocks;
  for (const BlockConditions& block : conditions) {
    const auto timed = timed_ns.find(block.block);
    blocks.emplace_back(timed == timed_ns.end() ? 0 : loss(block, timed->second), &block);
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  blocks.resize(blocks.size() / 2);
  for (const auto& [lost, block] : blocks) {
    if (lost > kLargestLoss) {
      reasons[block->block] =
          fmt::format("others took the cores: {} involuntary switches, {:.0f} ms stolen",
                      block->involuntary_switches, static_cast<double>(block->stolen_ns) * 1e-6);
    }
  }
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
  find_disturbed(conditions, timed_ns, reasons);
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
