#include "runner/analysis/nightly.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr double kOneSided95 = 0.025;
// Looking at a growing mean seven times gives chance about as many opportunities as three looks at
// means of their own (250 tasks, 3,000 nights without any change: 0.2 % of them alarm with pairs,
// 0.6 % without, where every task deviates by 1 %).
constexpr double kIndependentLooks = 3;

struct Mean {
  double value = 0;
  double error = 0;    // standard
  double freedom = 1;  // degrees of it
};

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Variance of a median, relative to the variance of one value: pi / 2n where n is large, less
// before.
double variance_of_median(std::size_t n) {
  const auto count = static_cast<double>(n);
  return n < 3 ? 1 / count : std::numbers::pi / 2 / count;
}

Mean of_pairs(const Evidence& evidence) {
  const auto count = static_cast<double>(evidence.slowdowns.size());
  // Either side of a pair is a measurement of its own.
  const double least = 2 * evidence.between_runs * evidence.between_runs;
  const double scatter = std::max(variance(evidence.slowdowns), least);
  return {mean_of(evidence.slowdowns), std::sqrt(scatter / count), count - 1};
}

// Each slowdown is one measurement less the same reference, whose runs scatter alike.
Mean of_repeats(const Evidence& evidence) {
  const auto count = static_cast<double>(evidence.slowdowns.size());
  const auto runs = static_cast<double>(evidence.alone.values.size());
  const double freedom = count + runs - 2;
  const double pooled =
      ((count - 1) * variance(evidence.slowdowns) + (runs - 1) * variance(evidence.alone.values)) /
      freedom;
  const double scatter = std::max(pooled, evidence.between_runs * evidence.between_runs);
  const double of_reference = variance_of_median(evidence.alone.values.size());
  return {mean_of(evidence.slowdowns), std::sqrt(scatter * (1 / count + of_reference)), freedom};
}

Mean mean_with_error(const Evidence& evidence) {
  return evidence.alone.values.empty() ? of_pairs(evidence) : of_repeats(evidence);
}

double student(double freedom, double tail) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(std::max(freedom, 1.0)), tail));
}

}  // namespace

double default_flag(std::string_view device) { return device == "cpu" ? 0.06 : 0.02; }

double Reference::level() const { return median(values); }

double slowdown(const Reference& reference, double tonight) { return reference.level() - tonight; }

bool looks_slower(const Reference& reference, double tonight, const NightlyRule& rule) {
  return slowdown(reference, tonight) > std::log1p(rule.flag);
}

double mean_slowdown(const Evidence& evidence) { return mean_of(evidence.slowdowns); }

double mean_half_width(const Evidence& evidence) {
  const Mean mean = mean_with_error(evidence);
  return student(mean.freedom, kOneSided95) * mean.error;
}

LogChange change_in_pairs(const Evidence& evidence) {
  const Mean mean = mean_with_error(evidence);
  const double half = student(mean.freedom, kOneSided95) * mean.error;
  LogChange change{-mean.value, -mean.value - half, -mean.value + half, 1};
  if (mean.value == 0) return change;
  const boost::math::students_t distribution(std::max(mean.freedom, 1.0));
  const double deviations = std::abs(mean.value) / mean.error;
  change.p = 2 * boost::math::cdf(boost::math::complement(distribution, deviations));
  return change;
}

Clearance judge(const Evidence& evidence, const NightlyRule& rule, std::size_t suspected_rows) {
  const std::size_t pairs = evidence.slowdowns.size();
  if (pairs < std::max<std::size_t>(rule.least_pairs, 2)) return Clearance::kOpen;
  const double flag = std::log1p(rule.flag);
  const auto rows = static_cast<double>(std::max<std::size_t>(suspected_rows, 1));
  const double tail = rule.doubt / (kIndependentLooks * rows);
  const Mean mean = mean_with_error(evidence);
  const bool may_confirm =
      evidence.alone.values.empty() || evidence.alone.values.size() >= kReferenceRuns;
  if (may_confirm && mean.value > flag && mean.value > student(mean.freedom, tail) * mean.error)
    return Clearance::kConfirmed;
  if (mean.value + student(mean.freedom, kOneSided95) * mean.error < flag)
    return Clearance::kCleared;
  return pairs < rule.most_pairs ? Clearance::kOpen : Clearance::kUnclear;
}

}  // namespace kbench
