#include "runner/analysis/keep.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runner/core/labels.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr double kLargestDrift = 0.03;
constexpr double kLowestShare = 0.75;
constexpr double kLargestLoss = 0.02;
// Excess of a slow sentinel over its own lower quartile. On two quiet cores 3 % of the blocks lie
// above it, beside a busy loop on each core 57 %.
constexpr double kSlowSentinel = 0.3;
// Share of a block's calls that ended while a stranger ran.
constexpr double kManyStrangers = 0.25;

std::string throttled(const Block& block, std::int64_t highest_khz) {
  if (block.start_khz <= 0 || block.end_khz <= 0) return "";
  const auto start = static_cast<double>(block.start_khz);
  const auto end = static_cast<double>(block.end_khz);
  if (std::min(start, end) < kLowestShare * static_cast<double>(highest_khz))
    return fmt::format("SM clock {:.0f} MHz: throttled", std::min(start, end) / 1000);
  if (std::abs(end - start) > kLargestDrift * start)
    return fmt::format("SM clock moved from {:.0f} to {:.0f} MHz", start / 1000, end / 1000);
  return "";
}

using Reasons = std::map<int, std::string>;  // key: the block

struct Disturbed {
  int block = 0;
  double by = 0;
  std::string reason;
};

double lower_quartile_of_sentinels(std::span<const Block> conditions) {
  std::vector<double> sentinels;
  for (const Block& block : conditions)
    if (block.sentinel_ns > 0) sentinels.push_back(static_cast<double>(block.sentinel_ns));
  return sentinels.empty() ? 0 : lower_quartile(std::move(sentinels));
}

// Excess of a block's sentinel over the lower quartile: 0.3 for 30 %. Zero where there is no
// sentinel.
double slowness(const Block& block, double lower_quartile_ns) {
  if (block.sentinel_ns <= 0 || lower_quartile_ns <= 0) return 0;
  return static_cast<double>(block.sentinel_ns) / lower_quartile_ns - 1;
}

std::vector<Disturbed> taken_by_the_hypervisor(std::span<const Block> conditions,
                                               const std::map<int, double>& timed_ns) {
  std::vector<Disturbed> found;
  for (const Block& block : conditions) {
    const auto timed = timed_ns.find(block.block);
    if (timed == timed_ns.end() || timed->second <= 0) continue;
    const double lost = static_cast<double>(block.stolen_ns) / timed->second;
    if (lost <= kLargestLoss) continue;
    found.push_back({block.block, lost / kLargestLoss,
                     fmt::format("the hypervisor took the cores for {:.0f} ms",
                                 static_cast<double>(block.stolen_ns) * 1e-6)});
  }
  return found;
}

std::vector<Disturbed> with_slow_sentinels(std::span<const Block> conditions) {
  const double quartile = lower_quartile_of_sentinels(conditions);
  std::vector<Disturbed> found;
  for (const Block& block : conditions) {
    const double slower = slowness(block, quartile);
    if (slower <= kSlowSentinel) continue;
    found.push_back({block.block, slower / kSlowSentinel,
                     fmt::format("the work of kbench's reference process (the oracle) took {:.0f} "
                                 "% longer than in quiet blocks",
                                 100 * slower)});
  }
  return found;
}

// Drops the worst blocks, at most half of all.
void drop_worst(std::vector<Disturbed> found, std::size_t blocks, Reasons& reasons) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.by > b.by; });
  if (found.size() > blocks / 2) found.resize(blocks / 2);
  for (Disturbed& block : found) reasons[block.block] = std::move(block.reason);
}

void mark(std::vector<Sample>& samples, const Reasons& reasons) {
  for (Sample& sample : samples) {
    const auto reason = reasons.find(sample.block);
    sample.dropped = reason != reasons.end();
    sample.drop_reason = sample.dropped ? reason->second : "";
  }
}

Reasons seen_from_outside(std::span<const Sample> samples, std::span<const Block> conditions,
                          bool on_cpu) {
  std::int64_t highest = 0;
  for (const Block& block : conditions)
    highest = std::max({highest, block.start_khz, block.end_khz});
  std::map<int, double> timed_ns;
  for (const Sample& sample : samples)
    timed_ns[sample.block] += static_cast<double>(sample.time_ns);
  Reasons reasons;
  auto disturbed = taken_by_the_hypervisor(conditions, timed_ns);
  // On CUDA what a flush takes says who else uses the device (measure/watch/idle_watch.hpp).
  const auto slow = on_cpu ? with_slow_sentinels(conditions) : std::vector<Disturbed>{};
  disturbed.insert(disturbed.end(), slow.begin(), slow.end());
  drop_worst(std::move(disturbed), conditions.size(), reasons);
  for (const Block& block : conditions) {
    if (std::string reason = throttled(block, highest); !reason.empty())
      reasons[block.block] = std::move(reason);
  }
  return reasons;
}

}  // namespace

void drop_disturbed_blocks(std::vector<Sample>& samples, std::span<const Block> conditions,
                           bool on_cpu) {
  mark(samples, seen_from_outside(samples, conditions, on_cpu));
  std::map<int, std::int64_t> clocks;
  for (const Block& block : conditions)
    if (block.start_khz > 0) clocks[block.block] = block.start_khz;
  for (Sample& sample : samples) {
    if (const auto clock = clocks.find(sample.block); clock != clocks.end())
      sample.sm_clock_khz = clock->second;
  }
}

BusyBlocks busy_blocks(const Evaluation& evaluation) {
  std::map<std::pair<int, int>, int> calls;  // kept calls, by attempt and block
  for (const Sample& sample : evaluation.samples)
    calls[{sample.attempt, sample.block}] += sample.calls;
  std::map<int, std::vector<Block>> attempts;
  for (const Block& block : evaluation.blocks)
    if (calls.contains({block.attempt, block.block})) attempts[block.attempt].push_back(block);
  BusyBlocks found;
  for (const auto& [attempt, conditions] : attempts) {
    const double quartile = lower_quartile_of_sentinels(conditions);
    for (const Block& block : conditions) {
      const bool crowded = double(block.strangers) > kManyStrangers * calls[{attempt, block.block}];
      const bool slowed = slowness(block, quartile) > kSlowSentinel;
      ++found.all;
      found.crowded += crowded ? 1 : 0;
      found.slowed += slowed ? 1 : 0;
      found.disturbed += crowded || slowed ? 1 : 0;
    }
  }
  return found;
}

bool machine_was_busy(const Evaluation& evaluation) {
  // On CUDA the question comes up only when clocks contradict each other, while the processes are
  // there that know.
  if (evaluation.device != "cpu") return has_label(evaluation.labels, "busy_machine");
  return busy_blocks(evaluation).most_are();
}

void keep(Evaluation& evaluation) {
  if (evaluation.blocks.empty()) return;
  std::map<int, std::vector<Block>> blocks;
  for (const Block& block : evaluation.blocks) blocks[block.attempt].push_back(block);
  std::vector<Sample> judged;
  judged.reserve(evaluation.samples.size());
  for (const auto& [attempt, conditions] : blocks) {
    std::vector<Sample> samples;
    for (const Sample& sample : evaluation.samples)
      if (sample.attempt == attempt) samples.push_back(sample);
    drop_disturbed_blocks(samples, conditions, evaluation.device == "cpu");
    judged.insert(judged.end(), samples.begin(), samples.end());
  }
  evaluation.samples = std::move(judged);
}

}  // namespace kbench
