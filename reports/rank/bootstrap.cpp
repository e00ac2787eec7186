#include "reports/rank/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace kbench {
namespace {

constexpr double kTail = 0.025;  // share beyond either end of a 95 % interval

const boost::math::normal kStandard;

// How far the middle of the redrawings lies from the estimate, as a normal quantile. Redrawings
// that are equal to the estimate count half: shares have many of them.
double bias(double estimate, const std::vector<double>& sorted) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), estimate);
  const double below =
      static_cast<double>(first - sorted.begin()) + static_cast<double>(last - first) / 2;
  const double share = below / static_cast<double>(sorted.size());
  const double least = 0.5 / static_cast<double>(sorted.size());
  return boost::math::quantile(kStandard, std::clamp(share, least, 1 - least));
}

// How the standard error changes with the statistic, from the jackknife.
double acceleration(std::span<const double> without) {
  double mean = 0;
  for (const double value : without) mean += value / static_cast<double>(without.size());
  double squares = 0;
  double cubes = 0;
  for (const double value : without) {
    const double off = mean - value;
    squares += off * off;
    cubes += off * off * off;
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

double at_share(const std::vector<double>& sorted, double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last))];
}

}  // namespace

Redraw::Redraw(std::uint64_t seed) : lucks_(lucks()), random_(seed) {}

// Equally likely values: the middles of as many slices of equal probability.
const std::array<double, Redraw::kLucks>& Redraw::lucks() {
  static const auto table = [] {
    std::array<double, kLucks> made{};
    for (std::size_t i = 0; i < kLucks; ++i)
      made[i] = boost::math::quantile(kStandard, (static_cast<double>(i) + 0.5) / kLucks);
    return made;
  }();
  return table;
}

void Redraw::tasks(std::size_t count, std::span<std::uint32_t> drawn) {
  // The high half of a product: no remainder, and even enough for any number of tasks.
  for (std::uint32_t& task : drawn)
    task = static_cast<std::uint32_t>(((random_() >> 32) * std::uint64_t{count}) >> 32);
}

Bounds bca_interval(double estimate, std::vector<double>& redrawn,
                    std::span<const double> without) {
  std::sort(redrawn.begin(), redrawn.end());
  const double z0 = bias(estimate, redrawn);
  const double a = acceleration(without);
  const auto end = [&](double tail) {
    const double z = z0 + boost::math::quantile(kStandard, tail);
    const double share = boost::math::cdf(kStandard, z0 + z / (1 - a * z));
    return at_share(redrawn, share);
  };
  return {end(kTail), end(1 - kTail)};
}

Bounds jeffreys_interval(bool all, int count) {
  const double solved = all ? count : 0;
  const boost::math::beta_distribution<double> share(solved + 0.5, count - solved + 0.5);
  return all ? Bounds{boost::math::quantile(share, kTail), 1}
             : Bounds{0, boost::math::quantile(share, 1 - kTail)};
}

}  // namespace kbench
