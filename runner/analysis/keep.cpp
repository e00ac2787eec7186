#include "runner/analysis/keep.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

constexpr double kLargestDrift = 0.03;
constexpr double kLowestShare = 0.75;
constexpr double kLargestLoss = 0.02;
// Being switched out and in again, with colder caches; the time away comes on top of it.
constexpr double kSwitchNs = 1e5;
// A neighbour on the other half of a core costs 8 to 25 %, for milliseconds or for minutes (two
// cores of a virtual machine), and not all sides alike: LeNet5's speed-up was 6.05 without, 6.6
// with one. Of seven runs of level 3 there, 32 of 168 pairs of intervals were disjoint without this
// filter; of seven with it, 8 of 168.
constexpr double kLargestSlowdown = 0.05;
// As many as their 95 % interval of the median leaves the extremes out.
constexpr std::size_t kPlacementsThatStay = 10;
// Where what stays gives wider intervals than this, times those of all blocks, the quiet blocks are
// not quiet times but lucky ones. Beside a neighbour that keeps the memory busy one in ten calls of
// 2 ms was quiet for both baselines, and the submission's between them were as slow as ever: an
// equal loop came out 0.92x [0.82-0.97].
constexpr double kWidestGrowth = 2;

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

// The share of a block's timed calls that others took.
double loss(const Block& block, double timed_ns) {
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

std::vector<Disturbed> whose_cores_were_taken(std::span<const Block> conditions,
                                              const std::map<int, double>& timed_ns) {
  std::vector<Disturbed> found;
  for (const Block& block : conditions) {
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

// Mean time of a call, by side and block.
using Means = std::map<Side, std::map<int, double>>;

Means baseline_means(std::span<const Sample> samples) {
  struct Total {
    double ns = 0;
    int calls = 0;
  };
  std::map<Side, std::map<int, Total>> totals;
  for (const Sample& sample : samples) {
    if (sample.side == Side::kSubmission) continue;
    Total& total = totals[sample.side][sample.block];
    total.ns += static_cast<double>(sample.time_ns);
    total.calls += sample.calls;
  }
  Means means;
  for (const auto& [side, blocks] : totals) {
    for (const auto& [block, total] : blocks)
      means[side][block] = total.ns / std::max(total.calls, 1);
  }
  return means;
}

double quiet_time(const std::map<int, double>& mean_by_block) {
  std::vector<double> times;
  times.reserve(mean_by_block.size());
  for (const auto& [block, ns] : mean_by_block) times.push_back(ns);
  const auto twentieth = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 20);
  std::nth_element(times.begin(), twentieth, times.end());
  return std::max(*twentieth, 1.0);
}

std::vector<Disturbed> slow_for_all_baselines(std::span<const Block> conditions,
                                              std::span<const Sample> samples) {
  const Means means = baseline_means(samples);
  if (means.size() < 2) return {};  // one alone may have been unlucky with its buffers
  std::map<Side, double> quiet;
  for (const auto& [side, blocks] : means) quiet[side] = quiet_time(blocks);
  std::vector<Disturbed> found;
  for (const Block& block : conditions) {
    double least = HUGE_VAL;
    for (const auto& [side, blocks] : means) {
      const auto mean = blocks.find(block.block);
      least = std::min(least, mean == blocks.end() ? 0 : mean->second / quiet[side] - 1);
    }
    if (least <= kLargestSlowdown) continue;
    found.push_back({block.block, least,
                     fmt::format("others slowed the cores: both baselines took {:.0f} % longer "
                                 "than in quiet blocks",
                                 100 * least)});
  }
  return found;
}

// All but the last block of a placement where few placements are left, the worst first.
void drop_worst_but_enough(std::vector<Disturbed> found, std::span<const Sample> samples,
                           Reasons& reasons) {
  std::map<int, int> placement_of;
  for (const Sample& sample : samples) placement_of[sample.block] = sample.placement;
  std::map<int, int> stay_by_placement;
  for (const auto& [block, placement] : placement_of)
    if (!reasons.contains(block)) ++stay_by_placement[placement];
  if (stay_by_placement.size() < kPlacementsThatStay) return;
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.by > b.by; });
  for (Disturbed& block : found) {
    if (reasons.contains(block.block)) continue;
    const auto here = stay_by_placement.find(placement_of[block.block]);
    const bool is_its_last = here->second == 1;
    if (is_its_last && stay_by_placement.size() <= kPlacementsThatStay) continue;
    --here->second;
    if (is_its_last) stay_by_placement.erase(here);
    reasons[block.block] = std::move(block.reason);
  }
}

// The worst, at most half of all blocks.
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

// The half-width of the wider of the intervals against the baselines; zero without any.
double widest_interval(std::span<const Sample> samples) {
  const bool submitted = std::any_of(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.side == Side::kSubmission;
  });
  const Side candidate = submitted ? Side::kSubmission : Side::kCompiled;
  double widest = 0;
  for (const Side baseline : {Side::kEager, Side::kCompiled}) {
    if (baseline == candidate) continue;
    const auto ratio =
        speedup(samples, baseline, candidate, same_margin("cpu"), deviation_between_runs("cpu"));
    if (ratio) widest = std::max(widest, ratio->half_width());
  }
  return widest;
}

// Why blocks are dropped, whatever the baselines took.
Reasons seen_from_outside(std::span<const Sample> samples, std::span<const Block> conditions) {
  std::int64_t highest = 0;
  for (const Block& block : conditions)
    highest = std::max({highest, block.start_khz, block.end_khz});
  std::map<int, double> timed_ns;
  for (const Sample& sample : samples)
    timed_ns[sample.block] += static_cast<double>(sample.time_ns);
  Reasons reasons;
  drop_worst(whose_cores_were_taken(conditions, timed_ns), conditions.size(), reasons);
  for (const Block& block : conditions) {
    if (std::string reason = throttled(block, highest); !reason.empty())
      reasons[block.block] = std::move(reason);
  }
  return reasons;
}

}  // namespace

void drop_disturbed_blocks(std::vector<Sample>& samples, std::span<const Block> conditions,
                           bool on_cpu) {
  Reasons reasons = seen_from_outside(samples, conditions);
  if (on_cpu) drop_worst_but_enough(slow_for_all_baselines(conditions, samples), samples, reasons);
  mark(samples, reasons);
  std::map<int, std::int64_t> clocks;
  for (const Block& block : conditions)
    if (block.start_khz > 0) clocks[block.block] = block.start_khz;
  for (Sample& sample : samples) {
    if (const auto clock = clocks.find(sample.block); clock != clocks.end())
      sample.sm_clock_khz = clock->second;
  }
}

void drop_disturbed_blocks_at_the_end(std::vector<Sample>& samples,
                                      std::span<const Block> conditions, bool on_cpu) {
  drop_disturbed_blocks(samples, conditions, on_cpu);
  if (!on_cpu || conditions.empty()) return;
  std::vector<Sample> more = samples;
  mark(more, seen_from_outside(samples, conditions));
  const double with_more = widest_interval(more);
  if (with_more > 0 && widest_interval(samples) > kWidestGrowth * with_more)
    samples = std::move(more);
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
    drop_disturbed_blocks_at_the_end(samples, conditions, evaluation.device == "cpu");
    judged.insert(judged.end(), samples.begin(), samples.end());
  }
  evaluation.samples = std::move(judged);
}

}  // namespace kbench
