// Statements on whole arms of a study, not of coalitions: controls that ought to show nothing,
// arms against each other, and the transfer of a strong planner's plans to a weak coder. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/attribution/cells.hpp"
#include "runner/attribution/comparisons.hpp"
#include "runner/attribution/units.hpp"

namespace kbench {

// One arm less another, over the states that were tried in both.
struct ArmDifference {
  std::string arm;
  std::string less;
  std::string outcome;
  UnitKind unit = UnitKind::kState;
  std::size_t states = 0;
  Estimate estimate;
  std::optional<double> corrected_p;  // Benjamini and Hochberg's, set by the analysis
};

// Differences that a study's arms are there for (P+F − P+RF, ...), of all outcomes but tokens; only
// of arms that the file has.
[[nodiscard]] std::vector<ArmDifference> arm_differences(const StudyCells& file);

struct Control {
  std::string name;  // "sham", "dup"
  std::string what;  // the quantity that ought to be zero, in words
  Estimate estimate;
  std::optional<double> corrected_p;  // Holm's, over the control's own tests
  bool failed = false;                // it is not zero
};

// sham: a heading alone against nothing. dup: one component under two names, v(i) = v(i′) = v(ii′).
// For one outcome; empty where the file has neither arm. `arm` is the one whose ∅ the sham is held
// against.
[[nodiscard]] std::vector<Control> controls(const StudyCells& file, std::size_t outcome,
                                            const std::string& arm);

struct Transfer {
  std::string outcome;
  UnitKind unit = UnitKind::kState;
  std::size_t states = 0;
  Estimate gain;               // T: transfer:plan less transfer:own
  Estimate gap;                // transfer:strong less transfer:own
  std::optional<Share> share;  // share of the gap that the plan closes
};

// Transfers, one for each outcome but tokens; only where the three arms have states in common.
[[nodiscard]] std::vector<Transfer> transfers(const StudyCells& file);

}  // namespace kbench
