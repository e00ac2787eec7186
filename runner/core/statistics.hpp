// Robust statistics on plain vectors. Nothing here knows of samples or sides.
#pragma once

#include <optional>
#include <vector>

namespace kbench {

// Median; the mean of the two middle values for an even count. Requires a non-empty vector.
[[nodiscard]] double median(std::vector<double> values);

// Lower quartile (rank ⌊n/4⌋). Requires a non-empty vector.
[[nodiscard]] double lower_quartile(std::vector<double> values);

// Median absolute deviation from the median (unscaled). Requires a non-empty vector.
[[nodiscard]] double median_absolute_deviation(const std::vector<double>& values);

// Sample variance, with n - 1 in the denominator; zero for a single value. Requires a non-empty
// vector.
[[nodiscard]] double variance(const std::vector<double>& values);

// p-values corrected for their number, in the same order: the k-th smallest of n times n + 1 - k,
// no smaller than the one before it, at most 1. If all values below a level are called significant,
// any of them is wrong with at most that probability. Source: Holm, A simple sequentially rejective
// multiple test procedure, 1979.
[[nodiscard]] std::vector<double> holm(const std::vector<double>& p_values);

struct OrderInterval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // exact probability that the interval covers the population median
};

// Distribution-free interval for the median from order statistics: the narrowest symmetric pair
// [x(r), x(n+1-r)] whose binomial coverage is at least `confidence`; the whole range where n is too
// small for that. Requires a non-empty vector. Source: David & Nagaraja, Order Statistics, 7.1.
[[nodiscard]] OrderInterval median_interval(std::vector<double> values, double confidence = 0.95);

}  // namespace kbench
