// Statements on several estimates: differences between groups of units (Welch), shares with an
// uncertain denominator (Fieller), and p-values corrected for their number. Pure. Holm's correction
// is in core/statistics.hpp.
#pragma once

#include <optional>
#include <vector>

#include "runner/attribution/estimate.hpp"

namespace kbench {

struct MeanDifference {
  double mean = 0;              // mean of `a` less that of `b`
  double freedom = 0;           // Welch and Satterthwaite's
  ConfidenceInterval interval;  // 95 %
  double p = 1;                 // two-sided
};

// Groups that share no unit. Nothing where a group has too few units, or too few that
// differ, for an interval of its own (estimate.hpp). Source: Welch, The generalization of
// "Student's" problem, 1947.
[[nodiscard]] std::optional<MeanDifference> welch(const std::vector<double>& a,
                                                  const std::vector<double>& b);

struct Share {
  double ratio = 0;
  std::optional<ConfidenceInterval> interval;  // 95 %; nothing: not bounded
};

// Mean of `parts` by mean of `wholes`, of the same units in the same order, which may depend on
// each other. Not bounded where the 95 % interval of the wholes' mean includes 0, and below
// kLeastUnits. Nothing without units, and where the wholes' mean is 0. Source: Fieller, Some
// problems in interval estimation, 1954.
[[nodiscard]] std::optional<Share> fieller(const std::vector<double>& parts,
                                           const std::vector<double>& wholes);

// p-values, in the same order, such that what lies below a level is wrong in no more than that
// share of the cases. Source: Benjamini & Hochberg, Controlling the false discovery rate, 1995.
[[nodiscard]] std::vector<double> benjamini_hochberg(const std::vector<double>& p_values);

}  // namespace kbench
