#include "runner/attribution/comparisons.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr double kTail = 0.025;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Covariance of the means of two lists over the same units.
double covariance_of_means(const std::vector<double>& a, const std::vector<double>& b) {
  const double of_a = mean_of(a);
  const double of_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - of_a) * (b[i] - of_b);
  const auto count = static_cast<double>(a.size());
  return sum / (count - 1) / count;
}

}  // namespace

std::optional<MeanDifference> welch(const std::vector<double>& a, const std::vector<double>& b) {
  const Estimate of_a = estimate(a);
  const Estimate of_b = estimate(b);
  if (!of_a.interval || !of_b.interval) return std::nullopt;
  const double error_a = variance(a) / static_cast<double>(a.size());
  const double error_b = variance(b) / static_cast<double>(b.size());
  MeanDifference found;
  found.mean = of_a.mean - of_b.mean;
  const double sum = error_a + error_b;
  found.freedom = sum * sum /
                  (error_a * error_a / static_cast<double>(a.size() - 1) +
                   error_b * error_b / static_cast<double>(b.size() - 1));
  const double half = student_quantile(found.freedom, kTail) * std::sqrt(sum);
  found.interval = {found.mean - half, found.mean + half};
  found.p = student_p(found.freedom, found.mean / std::sqrt(sum));
  return found;
}

std::optional<Share> fieller(const std::vector<double>& parts, const std::vector<double>& wholes) {
  if (parts.empty() || parts.size() != wholes.size()) return std::nullopt;
  const double part = mean_of(parts);
  const double whole = mean_of(wholes);
  if (whole == 0) return std::nullopt;
  Share share{.ratio = part / whole, .interval = {}};
  if (!estimate(wholes).interval || !estimate(parts).interval) return share;
  const double t = student_quantile(static_cast<double>(parts.size()) - 1, kTail);
  const double of_parts = covariance_of_means(parts, parts);
  const double of_wholes = covariance_of_means(wholes, wholes);
  const double of_both = covariance_of_means(parts, wholes);
  // All ratios r whose part − r·whole is within t standard errors of 0.
  const double a = whole * whole - t * t * of_wholes;
  if (a <= 0) return share;  // all ratios are, or all but a piece in between
  const double b = part * whole - t * t * of_both;
  const double c = part * part - t * t * of_parts;
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  if (root > 0) share.interval = ConfidenceInterval{(b - root) / a, (b + root) / a};
  return share;
}

std::vector<double> benjamini_hochberg(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double smallest = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto rank = static_cast<double>(order.size() - k);
    const auto all = static_cast<double>(order.size());
    smallest = std::min(smallest, p_values[order[k]] * all / rank);
    corrected[order[k]] = smallest;
  }
  return corrected;
}

}  // namespace kbench
