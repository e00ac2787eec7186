#include "runner/analysis/speedup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr std::size_t kEnoughPlacements = 6;  // the fewest whose range covers a median at 95 %

std::vector<double> times_per_call(std::span<const Sample> samples, Side side) {
  std::vector<double> times;
  for (const Sample& sample : samples) {
    if (sample.dropped || sample.side != side || sample.calls <= 0) continue;
    times.push_back(static_cast<double>(sample.time_ns) / sample.calls);
  }
  return times;
}

// Sums of log times of one block, by side.
struct BlockSums {
  int placement = 0;
  double baseline = 0;
  double candidate = 0;
  int baseline_visits = 0;
  int candidate_visits = 0;
  bool dropped = false;
};

std::map<int, BlockSums> sum_blocks(std::span<const Sample> samples, Side baseline,
                                    Side candidate) {
  std::map<int, BlockSums> blocks;
  for (const Sample& sample : samples) {
    if (sample.side != baseline && sample.side != candidate) continue;
    BlockSums& block = blocks[sample.block];
    block.placement = sample.placement;
    block.dropped |= sample.dropped || sample.time_ns <= 0 || sample.calls <= 0;
    if (block.dropped) continue;
    const double log_time = std::log(static_cast<double>(sample.time_ns) / sample.calls);
    if (sample.side == baseline) {
      block.baseline += log_time;
      ++block.baseline_visits;
    } else {
      block.candidate += log_time;
      ++block.candidate_visits;
    }
  }
  return blocks;
}

bool holds_95_percent(const std::optional<Speedup>& ratio) {
  constexpr double kLeastConfidence = 0.95;  // three placements give an interval of 75 %
  return ratio && ratio->confidence >= kLeastConfidence;
}

// CPU: names a side whose calls the clock cannot tell from empty ones.
std::string too_short_for_the_clock(const Evaluation& evaluation) {
  if (evaluation.device != "cpu") return "";
  for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission}) {
    const auto time = median_time_ns(evaluation.samples, side);
    if (time && *time <= kLeastCpuCallNs)
      return fmt::format(
          "a call of {} takes no longer than an empty one: too short for this clock, "
          "or the machine was busy",
          side == Side::kSubmission ? "the submission" : to_string(side));
  }
  return "";
}

Verdict judge(const Speedup& ratio, double margin) {
  if (!holds_95_percent(ratio)) return Verdict::kUndecided;
  if (ratio.low > 1 + margin) return Verdict::kFaster;
  if (ratio.high < 1 / (1 + margin)) return Verdict::kSlower;
  if (ratio.low >= 1 / (1 + margin) && ratio.high <= 1 + margin) return Verdict::kSame;
  return Verdict::kUndecided;
}

// Times with no worker there, before it or after it, whichever were shorter. In one of the two the
// device may have been slow (new memory cost relu 11 % on an H200, only ever before), and that
// excuses no submission.
std::vector<double> times_alone(const Evaluation& evaluation, Side baseline) {
  std::map<int, std::vector<Sample>> by_visit;
  for (const Sample& sample : evaluation.alone) by_visit[sample.visit].push_back(sample);
  std::vector<double> shortest;
  for (const auto& [visit, samples] : by_visit) {
    std::vector<double> times = times_per_call(samples, baseline);
    if (times.empty()) continue;
    if (shortest.empty() || median(times) < median(shortest)) shortest = std::move(times);
  }
  return shortest;
}

// CUDA: by how much the device's clock was lower beside the worker, as a logarithm; zero where
// unknown.
double clock_drop(const Evaluation& evaluation) {
  const auto clock = [](std::span<const Sample> samples) {
    std::vector<double> khz;
    for (const Sample& sample : samples)
      if (sample.sm_clock_khz) khz.push_back(static_cast<double>(*sample.sm_clock_khz));
    return khz.empty() ? 0.0 : median(std::move(khz));
  };
  const double alone = clock(evaluation.alone);
  const double beside = clock(evaluation.samples);
  return alone > 0 && beside > 0 ? std::max(std::log(alone / beside), 0.0) : 0.0;
}

// Relative deviation between equal medians of a baseline within one run, which slowdown_beside()
// allows for. "cuda": on an H200, a third of the rows were corrected by noise without it.
constexpr double pace_spread(std::string_view device) { return device == "cpu" ? 0.01 : 0.001; }

// The times alone take the place of those beside the worker, and bring their own uncertainty along.
void correct_by(Speedup& ratio, const Slowdown& baseline, const Slowdown& candidate) {
  if (baseline.log_ratio == 0 && candidate.log_ratio == 0) return;
  const double unsure = std::hypot(baseline.half_width, candidate.half_width);
  const double middle = std::log(ratio.estimate);
  const double below = std::hypot(middle - std::log(ratio.low), unsure);
  const double above = std::hypot(std::log(ratio.high) - middle, unsure);
  const double corrected = middle - (baseline.log_ratio - candidate.log_ratio);
  ratio.estimate = std::exp(corrected);
  ratio.low = std::exp(corrected - below);
  ratio.high = std::exp(corrected + above);
}

constexpr const char* kBusy = "other programs kept the machine busy";
constexpr const char* kRunAgain = "run again without them";

// The signs by which it is known that other programs kept the machine busy.
std::string busy_words(const BusyBlocks& blocks) {
  if (blocks.all == 0)
    return fmt::format("{}: the clocks contradict each other, and empty calls were late too: {}",
                       kBusy, kRunAgain);
  return fmt::format(
      "{} in {} of {} blocks (they ran beside the calls of {}, and kbench's own fixed work was "
      "slow in {}): {}",
      kBusy, blocks.disturbed, blocks.all, blocks.crowded, blocks.slowed, kRunAgain);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster: return "FASTER";
    case Verdict::kSlower: return "SLOWER";
    case Verdict::kSame: return "SAME";
    case Verdict::kUndecided: return "UNDECIDED";
    case Verdict::kNone: return "NO VERDICT";
  }
  return "UNDECIDED";
}

double same_margin(std::string_view device) { return device == "cpu" ? 0.03 : 0.01; }

Spread least_spread(std::string_view device) {
  // On CUDA every block has new places, and the process makes no difference.
  return device == "cpu" ? Spread{0.02, 0.02} : Spread{0, 0.001};
}

Spread spread_of(const Evaluation& evaluation) {
  Spread spread = least_spread(evaluation.device);
  if (!evaluation.calibration) return spread;
  spread.between_sessions =
      std::max(spread.between_sessions, evaluation.calibration->between_sessions);
  spread.between_runs = std::max(spread.between_runs, evaluation.calibration->between_runs);
  return spread;
}

bool Doubts::any() const { return busy || !too_short.empty() || too_few_blocks || uncalibrated; }

std::string Doubts::words() const { return joined(busy_words(blocks)); }

std::string Doubts::kinds() const { return joined(fmt::format("{}: {}", kBusy, kRunAgain)); }

std::string Doubts::joined(const std::string& if_busy) const {
  std::vector<std::string> reasons;
  if (busy) reasons.push_back(if_busy);
  if (!too_short.empty()) reasons.push_back(too_short);
  if (too_few_blocks)
    reasons.emplace_back(
        "too few blocks were timed for an interval of 95 %: the submission is too slow, or too "
        "slow to stop, for the time that an evaluation has");
  if (uncalibrated)
    reasons.push_back(fmt::format("{}: run `kbench calibrate` once", kTimingNotCalibrated));
  return fmt::format("{}", fmt::join(reasons, "; and "));
}

Doubts doubts_of(const Evaluation& evaluation) {
  constexpr double kNoMargin = 0;
  const auto ratio = speedup(evaluation.samples, Side::kEager, Side::kSubmission, kNoMargin);
  const bool timed = median_time_ns(evaluation.samples, Side::kSubmission).has_value();
  const bool on_cpu = evaluation.device == "cpu";
  const BusyBlocks blocks = on_cpu ? busy_blocks(evaluation) : BusyBlocks{};
  return {.busy = on_cpu ? blocks.most_are() : machine_was_busy(evaluation),
          .blocks = blocks,
          .too_short = too_short_for_the_clock(evaluation),
          .too_few_blocks = timed && !holds_95_percent(ratio),
          .uncalibrated = !evaluation.calibration};
}

std::optional<double> median_time_ns(std::span<const Sample> samples, Side side) {
  auto times = times_per_call(samples, side);
  if (times.empty()) return std::nullopt;
  return median(std::move(times));
}

std::optional<double> mad_time_ns(std::span<const Sample> samples, Side side) {
  const auto times = times_per_call(samples, side);
  if (times.empty()) return std::nullopt;
  return median_absolute_deviation(times);
}

std::optional<double> median_time_ns(const Evaluation& evaluation, Side side) {
  const auto time = median_time_ns(evaluation.samples, side);
  if (!time) return std::nullopt;
  return *time * std::exp(-slowdown_beside(evaluation, side).log_ratio);
}

Slowdown slowdown_beside(const Evaluation& evaluation, Side baseline) {
  const std::vector<double> alone = times_alone(evaluation, baseline);
  const std::vector<double> beside = times_per_call(evaluation.samples, baseline);
  constexpr std::size_t kEnoughAlone = 6;  // the range of fewer is no interval of 95 %
  if (alone.size() < kEnoughAlone || beside.empty()) return {};
  const OrderInterval interval_alone = median_interval(alone);
  const double slowest_alone = interval_alone.high;
  const double quickest_beside = median_interval(beside).low;
  const double differ_anyway = kNormal95 * pace_spread(evaluation.device);
  if (slowest_alone <= 0 || quickest_beside <= slowest_alone * std::exp(differ_anyway)) return {};
  const double unexplained = std::log(quickest_beside / slowest_alone) - clock_drop(evaluation);
  const double half_alone = std::log(interval_alone.high / interval_alone.low) / 2;
  return {.log_ratio = std::log(median(beside) / median(alone)),
          .at_least = std::max(unexplained, 0.0),
          .half_width = std::hypot(half_alone, differ_anyway)};
}

std::optional<Speedup> speedup(const Evaluation& evaluation, Side baseline, Side candidate) {
  auto ratio = speedup(evaluation.samples, baseline, candidate, same_margin(evaluation.device),
                       spread_of(evaluation));
  if (!ratio) return std::nullopt;
  correct_by(*ratio, slowdown_beside(evaluation, baseline), slowdown_beside(evaluation, candidate));
  ratio->calibrated = evaluation.calibration.has_value();
  const bool says_nothing = doubts_of(evaluation).any();
  ratio->verdict = says_nothing ? Verdict::kNone : judge(*ratio, same_margin(evaluation.device));
  return ratio;
}

std::optional<LogRatio> log_speedup(std::span<const Sample> samples, Side baseline) {
  constexpr double kNoMargin = 0;  // verdicts do not count here
  const auto ratio = speedup(samples, baseline, Side::kSubmission, kNoMargin);
  if (!ratio) return std::nullopt;
  return LogRatio{std::log(ratio->estimate), std::log(ratio->high / ratio->low) / 2};
}

std::optional<Speedup> speedup(std::span<const Sample> samples, Side baseline, Side candidate,
                               double margin, Spread spread) {
  std::map<int, std::vector<double>> ratios_by_placement;
  for (const auto& [index, block] : sum_blocks(samples, baseline, candidate)) {
    if (block.dropped || block.baseline_visits == 0 || block.candidate_visits == 0) continue;
    ratios_by_placement[block.placement].push_back(block.baseline / block.baseline_visits -
                                                   block.candidate / block.candidate_visits);
  }
  const std::size_t placements = ratios_by_placement.size();
  const bool enough = placements >= kEnoughPlacements;
  std::vector<double> units;
  for (auto& [placement, ratios] : ratios_by_placement) {
    if (enough) {
      units.push_back(median(std::move(ratios)));
    } else {
      units.insert(units.end(), ratios.begin(), ratios.end());
    }
  }
  if (units.size() < 3) return std::nullopt;

  const OrderInterval interval = median_interval(units);
  const double middle = median(units);
  const double of_the_places =
      enough ? 0 : spread.between_sessions / std::sqrt(static_cast<double>(placements));
  const double of_the_run = kNormal95 * std::hypot(of_the_places, spread.between_runs);
  Speedup result;
  result.estimate = std::exp(middle);
  result.low = std::exp(middle - std::hypot(middle - interval.low, of_the_run));
  result.high = std::exp(middle + std::hypot(interval.high - middle, of_the_run));
  result.confidence = interval.confidence;
  result.units = static_cast<int>(units.size());
  result.verdict = judge(result, margin);
  return result;
}

}  // namespace kbench
