#include "runner/attribution/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr double kTail = 0.025;
constexpr double kPower = 0.8;
constexpr std::size_t kMostUnits = 1'000'000;
// Sums of outcomes leave differences of this size where there is none.
constexpr double kRounding = 1e-12;

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

Basis basis_of(const Estimate& found, double largest, const std::optional<Nothing>& nothing) {
  if (nothing && found.units > 0) return Basis::kNothingHappened;
  if (found.units < kLeastUnits) return Basis::kFewUnits;
  if (found.events < kLeastEvents) return Basis::kFewEvents;
  return found.deviation <= kRounding * largest ? Basis::kNoSpread : Basis::kStudent;
}

void add_interval(Estimate& found) {
  const double freedom = static_cast<double>(found.units) - 1;
  const double error = found.deviation / std::sqrt(static_cast<double>(found.units));
  const double half = student_quantile(freedom, kTail) * error;
  found.interval = ConfidenceInterval{found.mean - half, found.mean + half};
  found.p = student_p(freedom, found.mean / error);
}

}  // namespace

std::string_view to_string(Basis basis) {
  switch (basis) {
    case Basis::kStudent: return "student";
    case Basis::kFewUnits: return "few_units";
    case Basis::kFewEvents: return "few_events";
    case Basis::kNoSpread: return "no_spread";
    case Basis::kNothingHappened: return "nothing_happened";
  }
  return "";
}

double student_quantile(double freedom, double tail) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(std::max(freedom, 1.0)), tail));
}

double student_p(double freedom, double t) {
  const boost::math::students_t distribution(std::max(freedom, 1.0));
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double bound_of_nothing(std::size_t units) {
  return 1 - std::pow(kTail, 1 / static_cast<double>(units));
}

Estimate estimate(const std::vector<double>& effects, const std::optional<Nothing>& nothing) {
  Estimate found;
  found.units = effects.size();
  if (effects.empty()) return found;
  const double largest = largest_of(effects);
  found.events = static_cast<std::size_t>(std::count_if(
      effects.begin(), effects.end(), [](double effect) { return std::abs(effect) > kRounding; }));
  found.mean =
      std::accumulate(effects.begin(), effects.end(), 0.0) / static_cast<double>(effects.size());
  found.deviation = std::sqrt(variance(effects));
  found.basis = basis_of(found, largest, nothing);
  if (found.basis == Basis::kStudent) add_interval(found);
  if (found.basis == Basis::kNothingHappened)
    found.bound = nothing->largest * bound_of_nothing(found.units);
  return found;
}

double seen_effect(double deviation, std::size_t units) {
  const auto count = static_cast<double>(units);
  const double freedom = count - 1;
  return (student_quantile(freedom, kTail) + student_quantile(freedom, 1 - kPower)) * deviation /
         std::sqrt(count);
}

std::size_t units_to_see(double deviation, double effect) {
  std::size_t few = 2;
  std::size_t many = kMostUnits;
  while (few < many) {  // seen_effect falls with the number of units
    const std::size_t middle = (few + many) / 2;
    if (seen_effect(deviation, middle) <= effect)
      many = middle;
    else
      few = middle + 1;
  }
  return few;
}

}  // namespace kbench
