#include "runner/analysis/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

// A speed-up of 13 may be as uncertain as 5 %: no decision hangs on the rest.
constexpr double kOfItself = 0.02;

struct Totals {
  std::set<int> tried;  // placements, with those of which nothing is kept
  std::set<int> blocks;
  std::set<int> placements;
  std::map<Side, double> seconds;
};

Totals total(std::span<const Sample> samples) {
  Totals totals;
  for (const Sample& sample : samples) {
    totals.seconds[sample.side] += static_cast<double>(sample.time_ns) * 1e-9;
    totals.tried.insert(sample.placement);
    if (sample.dropped) continue;
    totals.blocks.insert(sample.block);
    totals.placements.insert(sample.placement);
  }
  return totals;
}

bool is_settled(const Speedup& ratio, const StopRule& rule) {
  const double allowed = std::max(rule.half_width, kOfItself * std::abs(std::log(ratio.estimate)));
  return ratio.confidence >= 0.95 && ratio.half_width() <= allowed;
}

bool all_settled(const StopRule& rule, std::span<const Sample> samples, Side candidate) {
  constexpr double kNoMargin = 0;  // verdicts do not count here
  bool any = false;
  for (const Side baseline : {Side::kEager, Side::kCompiled}) {
    if (baseline == candidate) continue;
    const auto ratio = speedup(samples, baseline, candidate, kNoMargin);
    if (!ratio) continue;
    any = true;
    if (!is_settled(*ratio, rule)) return false;
  }
  return any;
}

}  // namespace

StopRule stop_rule_for(std::string_view device, Ranked ranked) {
  StopRule rule;
  if (device == "cpu") {
    rule.min_placements = 6;  // the fewest whose whole range covers the median at 95 %
    rule.looks = {6, 9, 13, 18};
    rule.half_width = 0.025;
    rule.max_seconds = 30;  // a placement starts two processes, about two seconds in all
    rule.longest_seconds = 45;
  } else {
    rule.looks = {10, 15, 23, 35, 50, 75, 112, 168, 252, 378};  // each half as many more
    rule.half_width = 0.005;
    rule.longest_seconds = 20;
  }
  if (ranked == Ranked::kNo) {
    rule.looks.clear();
    rule.min_placements = 1;
    rule.until_narrow = false;
  }
  return rule;
}

StopRule confirming(StopRule rule) {
  rule.longest_seconds = std::min(rule.longest_seconds, rule.max_seconds);
  return rule;
}

StopRule quick_stop_rule(std::string_view device) {
  StopRule rule = stop_rule_for(device);
  rule.min_blocks = rule.enough_blocks = rule.most_blocks_a_placement = 8;
  rule.min_placements = 1;
  rule.looks.clear();
  rule.min_seconds_a_side = 0;
  rule.max_seconds = rule.longest_seconds = 10;
  rule.until_narrow = false;
  return rule;
}

bool has_enough(const StopRule& rule, std::span<const Sample> samples, Side candidate,
                double elapsed_seconds) {
  const Totals totals = total(samples);
  const auto blocks = static_cast<int>(totals.blocks.size());
  // However long it took to get there: without a block there is nothing to tell.
  if (totals.tried.empty()) return false;
  const bool late = elapsed_seconds >= rule.max_seconds;
  if (late && (blocks < rule.min_blocks || elapsed_seconds >= rule.longest_seconds)) return true;
  if (blocks < rule.min_blocks) return false;
  if (static_cast<int>(totals.placements.size()) < rule.min_placements) return false;
  double least = rule.min_seconds_a_side;
  for (const auto& [side, seconds] : totals.seconds) least = std::min(least, seconds);
  if (least < rule.min_seconds_a_side && blocks < rule.enough_blocks) return false;
  // A single side has no ratio that could become narrower.
  if (!rule.until_narrow || totals.seconds.size() < 2) return true;
  const auto tried = static_cast<int>(totals.tried.size());
  if (!rule.looks.empty()) {
    if (tried >= rule.looks.back()) return true;
    if (std::find(rule.looks.begin(), rule.looks.end(), tried) == rule.looks.end()) return false;
  }
  return all_settled(rule, samples, candidate);
}

bool has_enough_together(const StopRule& rule, std::span<const Sample> second,
                         const std::function<std::vector<Sample>()>& both, Side candidate,
                         double elapsed_seconds) {
  if (!has_enough(confirming(rule), second, candidate, elapsed_seconds)) return false;
  const auto tried = static_cast<int>(total(second).tried.size());
  if (!rule.looks.empty() && tried >= rule.looks.back()) return true;
  StopRule at_this_look = rule;
  at_this_look.looks.clear();
  return has_enough(at_this_look, both(), candidate, elapsed_seconds);
}

}  // namespace kbench
