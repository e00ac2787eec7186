#include "runner/analysis/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "runner/analysis/speedup.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

std::vector<LogRatio> of_runs(const EqualRuns& runs, Side baseline) {
  std::vector<LogRatio> found;
  for (const Evaluation& run : runs)
    if (const auto one = log_speedup(run.samples, baseline)) found.push_back(*one);
  return found;
}

// Evaluations of one placement each.
std::vector<Evaluation> by_placement(const Evaluation& run) {
  std::map<int, Evaluation> placements;
  for (const Sample& sample : run.samples) placements[sample.placement].samples.push_back(sample);
  std::vector<Evaluation> split;
  for (auto& [index, placement] : placements) split.push_back(std::move(placement));
  return split;
}

// Variance between equal measurements beyond their own uncertainty. It is negative where chance has
// it so: only the mean over many is a variance.
class ExcessVariance {
 public:
  void add(const std::vector<LogRatio>& equal) {
    if (equal.size() < 2) return;
    std::vector<double> estimates;
    double within = 0;
    for (const LogRatio& one : equal) {
      // An interval of few blocks holds less than 95 % (three: 75 %), so its half is less than 1.96
      // deviations and the error comes out too small. Less is then taken off the variance between
      // equal measurements, and intervals become wider rather than narrower.
      const double error = one.half_width / kNormal95;
      estimates.push_back(one.estimate);
      within += error * error / static_cast<double>(equal.size());
    }
    sum_ += variance(estimates) - within;
    ++count_;
  }
  [[nodiscard]] double deviation() const {
    return count_ == 0 ? 0 : std::sqrt(std::max(sum_ / count_, 0.0));
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace

Calibration calibrate(std::span<const EqualRuns> submissions, std::string_view device) {
  ExcessVariance between_runs;
  ExcessVariance between_sessions;
  for (const EqualRuns& runs : submissions) {
    for (const Side baseline : {Side::kEager, Side::kCompiled}) {
      between_runs.add(of_runs(runs, baseline));
      if (device != "cpu") continue;  // a placement is a block there
      for (const Evaluation& run : runs) between_sessions.add(of_runs(by_placement(run), baseline));
    }
  }
  const Spread least = least_spread(device);
  return {.between_sessions = std::max(between_sessions.deviation(), least.between_sessions),
          .between_runs = std::max(between_runs.deviation(), least.between_runs)};
}

void calibrate_by_others(std::span<EqualRuns> submissions, std::string_view device) {
  std::size_t runs = 0;
  for (const EqualRuns& equal : submissions) runs = std::max(runs, equal.size());
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<EqualRuns> others(submissions.begin(), submissions.end());
    for (EqualRuns& equal : others)
      if (run < equal.size()) equal.erase(equal.begin() + static_cast<std::ptrdiff_t>(run));
    const Calibration calibration = calibrate(others, device);
    for (EqualRuns& equal : submissions)
      if (run < equal.size()) equal[run].calibration = calibration;
  }
}

Coverage coverage(std::span<const EqualRuns> submissions) {
  Coverage found;
  std::vector<double> half_widths;
  for (const EqualRuns& runs : submissions) {
    for (const Side baseline : {Side::kEager, Side::kCompiled}) {
      std::vector<Speedup> ratios;
      for (const Evaluation& run : runs)
        if (const auto ratio = speedup(run, baseline, Side::kSubmission)) ratios.push_back(*ratio);
      if (ratios.size() < 2) continue;
      for (std::size_t i = 0; i < ratios.size(); ++i) {
        std::vector<double> others;
        for (std::size_t j = 0; j < ratios.size(); ++j)
          if (j != i) others.push_back(ratios[j].estimate);
        const double middle = median(std::move(others));
        found.held += ratios[i].low <= middle && middle <= ratios[i].high ? 1 : 0;
        ++found.total;
        half_widths.push_back(ratios[i].half_width());
      }
    }
  }
  if (!half_widths.empty()) found.median_half_width = median(std::move(half_widths));
  return found;
}

}  // namespace kbench
