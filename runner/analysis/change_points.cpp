#include "runner/analysis/change_points.hpp"

#include <algorithm>
#include <cmath>

#include "runner/analysis/change.hpp"

namespace kbench {
namespace {

constexpr double kLevelOfDoubt = 0.05;
// An interval of no width would outweigh all others together.
constexpr double kLeastDeviation = 1e-6;

// Sums over speed-ups, on the log scale.
struct Sums {
  double weight = 0;
  double weighted = 0;

  [[nodiscard]] double mean() const { return weight > 0 ? weighted / weight : 0; }
};

Sums operator-(const Sums& a, const Sums& b) {
  return {a.weight - b.weight, a.weighted - b.weighted};
}

// Sums of beginnings: sums[i] is over the first i speed-ups.
std::vector<Sums> sum_up(std::span<const Speedup> series) {
  std::vector<Sums> sums(series.size() + 1);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double value = std::log(series[i].estimate);
    const double half = std::log(series[i].high / series[i].low) / 2;
    const double deviation = std::max(half / kNormal95, kLeastDeviation);
    const double weight = 1 / (deviation * deviation);
    const bool says_something = std::isfinite(value) && std::isfinite(half) && weight > 0;
    sums[i + 1] = sums[i];
    if (!says_something) continue;
    sums[i + 1].weight += weight;
    sums[i + 1].weighted += weight * value;
  }
  return sums;
}

// The two means' difference in standard errors.
double deviations(const Sums& left, const Sums& right) {
  if (left.weight <= 0 || right.weight <= 0) return 0;
  return std::abs(left.mean() - right.mean()) / std::sqrt(1 / left.weight + 1 / right.weight);
}

struct Cut {
  std::size_t at = 0;
  double p = 1;  // corrected
};

void cut(const std::vector<Sums>& sums, std::size_t begin, std::size_t end,
         std::vector<Cut>& found) {
  if (end - begin < 2) return;
  std::size_t best = begin + 1;
  double most = 0;
  for (std::size_t at = begin + 1; at < end; ++at) {
    const double apart = deviations(sums[at] - sums[begin], sums[end] - sums[at]);
    if (apart > most) {
      most = apart;
      best = at;
    }
  }
  const double p = std::min(1.0, static_cast<double>(end - begin - 1) * two_sided_p(most));
  if (p > kLevelOfDoubt) return;
  cut(sums, begin, best, found);
  found.push_back({best, p});
  cut(sums, best, end, found);
}

}  // namespace

std::vector<ChangePoint> find_change_points(std::span<const Speedup> series) {
  const std::vector<Sums> sums = sum_up(series);
  std::vector<Cut> cuts;
  cut(sums, 0, series.size(), cuts);
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : cuts[i - 1].at;
    const std::size_t end = i + 1 == cuts.size() ? series.size() : cuts[i + 1].at;
    points.push_back({cuts[i].at, std::exp((sums[cuts[i].at] - sums[begin]).mean()),
                      std::exp((sums[end] - sums[cuts[i].at]).mean()), cuts[i].p});
  }
  return points;
}

}  // namespace kbench
