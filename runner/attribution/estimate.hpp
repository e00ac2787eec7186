// The mean of an effect over units, with a 95 % interval by Student's t over the units' own means:
// within a unit anything may depend on anything. Where too little differs for that, the estimate
// says why it has no interval. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace kbench {

// Fewest units that a kind of them needs to be generalised over.
inline constexpr std::size_t kLeastUnits = 6;
// Units whose effect is not zero that an interval needs.
inline constexpr std::size_t kLeastEvents = 5;

struct ConfidenceInterval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

// Why an estimate has its interval, or none.
enum class Basis {
  kStudent,          // an interval by t over the units
  kFewUnits,         // fewer than kLeastUnits
  kFewEvents,        // fewer than kLeastEvents units differ
  kNoSpread,         // all units have the same effect
  kNothingHappened,  // no outcome ever differed from 0, or none from 1: `bound` holds instead
};

// "student", "few_units", ...
[[nodiscard]] std::string_view to_string(Basis basis);

struct Estimate {
  double mean = 0;
  double deviation = 0;  // standard deviation of a unit's effect
  std::size_t units = 0;
  std::size_t events = 0;  // units whose effect is not zero
  Basis basis = Basis::kFewUnits;
  std::optional<ConfidenceInterval> interval;  // 95 %; never of width 0
  std::optional<double> p;                     // two-sided, of no effect
  std::optional<double> bound;                 // kNothingHappened: the effect is no larger, in 95 %
};

// The range of an effect whose outcome was the same 0, or the same 1, in all cells of all units.
struct Nothing {
  double largest = 1;  // largest effect that such outcomes could have (largest_interaction)
};

// The estimate from one effect a unit; `nothing` is set where no outcome ever differed.
[[nodiscard]] Estimate estimate(const std::vector<double>& effects,
                                const std::optional<Nothing>& nothing = {});

// 1 − 0.025^{1/units}: no larger is the probability that a unit is one in which something happens,
// in 97.5 %, where it happened in none of them. `units` is at least 1.
[[nodiscard]] double bound_of_nothing(std::size_t units);

// Quantile of Student's t whose upper tail is `tail`.
[[nodiscard]] double student_quantile(double freedom, double tail);
// Two-sided p of a t statistic.
[[nodiscard]] double student_p(double freedom, double t);

// Smallest effect that a two-sided test at 5 % over so many units (2 or more) sees in 80 %.
[[nodiscard]] double seen_effect(double deviation, std::size_t units);
// Units that it takes to see `effect` (above 0) in 80 %; at most a million.
[[nodiscard]] std::size_t units_to_see(double deviation, double effect);

}  // namespace kbench
