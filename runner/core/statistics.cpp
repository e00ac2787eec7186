#include "runner/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kbench {
namespace {

// log P(X = k) for X ~ Binomial(n, 1/2), one k after the other from 0.
class BinomialLogs {
 public:
  explicit BinomialLogs(std::size_t n) : n_(static_cast<double>(n)), log_(-n_ * std::log(2.0)) {}
  double next() {
    const double here = log_;
    log_ += std::log((n_ - k_) / (k_ + 1));
    ++k_;
    return here;
  }

 private:
  double n_;
  double k_ = 0;
  double log_;
};

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double variance(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double lower_quartile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_absolute_deviation(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto still_to_judge = static_cast<double>(order.size() - k);
    largest = std::max(largest, std::min(1.0, still_to_judge * p_values[order[k]]));
    corrected[order[k]] = largest;
  }
  return corrected;
}

OrderInterval median_interval(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  BinomialLogs logs(n);
  std::size_t r = 1;
  double tail = std::exp(logs.next());  // P(X <= r - 1)
  while (2 * (r + 1) <= n) {
    const double next = tail + std::exp(logs.next());
    if (1 - 2 * next < confidence) break;
    tail = next;
    ++r;
  }
  return {values[r - 1], values[n - r], 1 - 2 * tail};
}

}  // namespace kbench
