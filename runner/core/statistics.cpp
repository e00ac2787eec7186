#include "runner/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kbench {
namespace {

// P(X <= r - 1) for X ~ Binomial(n, 1/2).
double binomial_tail(std::size_t n, std::size_t r) {
  double sum = 0;
  const auto trials = static_cast<double>(n);
  for (std::size_t i = 0; i < r; ++i) {
    const auto k = static_cast<double>(i);
    const double log_choose =
        std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1);
    sum += std::exp(log_choose - trials * std::log(2.0));
  }
  return sum;
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double median_absolute_deviation(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

OrderInterval median_interval(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  std::size_t r = 1;
  while (2 * (r + 1) <= n && 1 - 2 * binomial_tail(n, r + 1) >= confidence) ++r;
  return {values[r - 1], values[n - r], 1 - 2 * binomial_tail(n, r)};
}

}  // namespace kbench
