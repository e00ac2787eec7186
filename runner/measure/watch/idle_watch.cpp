#include "runner/measure/watch/idle_watch.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

// A second context that is at work takes whole time slices (about a millisecond) from a flush that
// takes some ten microseconds.
constexpr double kLongerBy = 3;
constexpr double kLongerByNs = 2e5;
constexpr double kLargestShare = 0.1;
constexpr std::size_t kFewestFlushes = 10;

constexpr double kSlower = 1.1;
constexpr double kNearlyAlways = 0.9;
constexpr std::size_t kFewestBlocks = 8;

struct Visits {
  double before = 0;
  double after = 0;
};

// How much slower the baseline is after the submission than before it, block by block.
std::vector<double> ratios(std::span<const Sample> samples, Side baseline) {
  std::map<int, Visits> blocks;
  int block = -1;
  int visit = -1;
  bool submission_was_here = false;
  for (const Sample& sample : samples) {
    if (sample.block != block || sample.visit != visit) submission_was_here = false;
    block = sample.block;
    visit = sample.visit;
    if (sample.side == Side::kSubmission) submission_was_here = true;
    if (sample.side != baseline || sample.dropped) continue;
    Visits& visits = blocks[sample.block];
    (submission_was_here ? visits.after : visits.before) = static_cast<double>(sample.time_ns);
  }
  std::vector<double> result;
  for (const auto& [index, visits] : blocks)
    if (visits.before > 0 && visits.after > 0) result.push_back(visits.after / visits.before);
  return result;
}

}  // namespace

std::optional<std::string> IdleWatch::finding(std::span<const Sample> samples) const {
  if (auto words = slow_flushes()) return words;
  return slowed_baseline(samples);
}

std::optional<std::string> IdleWatch::slow_flushes() const {
  if (alone_.empty() || beside_.size() < kFewestFlushes) return std::nullopt;
  const double alone = median(alone_);
  const double limit = kLongerBy * alone + kLongerByNs;
  const auto longer = std::count_if(beside_.begin(), beside_.end(),
                                    [limit](double flush) { return flush > limit; });
  if (static_cast<double>(longer) <= kLargestShare * static_cast<double>(beside_.size()))
    return std::nullopt;
  return fmt::format(
      "something else ran on the device: a cache flush that takes {:.3f} ms alone took more than "
      "{:.3f} ms {} of {} times",
      alone * 1e-6, limit * 1e-6, longer, beside_.size());
}

std::optional<std::string> slowed_baseline(std::span<const Sample> samples) {
  for (const Side baseline : {Side::kEager, Side::kCompiled}) {
    const auto slower = ratios(samples, baseline);
    if (slower.size() < kFewestBlocks) continue;
    const double middle = median(slower);
    const auto often = std::count_if(slower.begin(), slower.end(),
                                     [](double ratio) { return ratio > (1 + kSlower) / 2; });
    if (middle <= kSlower ||
        static_cast<double>(often) < kNearlyAlways * static_cast<double>(slower.size()))
      continue;
    return fmt::format("{} takes {:.2f} times as long after the submission as before it",
                       to_string(baseline), middle);
  }
  return std::nullopt;
}

}  // namespace kbench
