// All that a file of cells says: what each component is worth, how components act together, where,
// and whether that is to be believed. One outcome of one arm is primary, and its tests are
// corrected by Holm; all else is exploratory, and corrected by Benjamini and Hochberg. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/attribution/arms.hpp"
#include "runner/attribution/cells.hpp"
#include "runner/attribution/comparisons.hpp"
#include "runner/attribution/units.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// An effect whose whole interval is smaller is of no use.
inline constexpr double kSmallEffect = 0.05;
// Groups of a label, of strata or of generations that are looked at one by one.
inline constexpr std::size_t kMostGroups = 64;

struct AnalysisRequest {
  std::optional<std::string> outcome;  // primary; else "correct", or the first by name
  std::optional<std::string> arm;      // primary; else the first of direct, plan, both
  std::vector<std::string> by;         // "task", or labels: groups that are held against each other
};

// One index of a component, or of several, over the states in which all of them answered.
struct Effect {
  Index index = Index::kBanzhaf;
  std::vector<std::string> components;
  std::string outcome;
  std::string by;     // "stratum", "generation", "task" or a label; empty: all states
  std::string group;  // one value of `by`
  std::size_t states = 0;
  UnitKind unit = UnitKind::kState;
  Estimate estimate;                    // over units of that kind
  std::optional<Estimate> over_states;  // the estimate over states; none unless the unit is wider
  bool tested = false;                  // its p belongs to one of the two families
  bool primary = false;                 // it belongs to Holm's family
  std::optional<double> corrected_p;
};

enum class Advice { kKeep, kHarms, kNoUse, kCannotTell };

// "keep", "harms", "no use", "cannot tell".
[[nodiscard]] std::string_view to_string(Advice advice);

struct ComponentAnswer {
  std::size_t effect = 0;  // place in Attribution::effects
  Advice advice = Advice::kCannotTell;
  std::optional<double> tokens;           // tokens that the component costs, a call
  std::optional<std::size_t> more_units;  // further units that would see `would_see` in 80 %
  double would_see = 0;
};

// The effect of a component in one group less that in another.
struct GroupDifference {
  std::string component;
  std::string by;
  std::string group;
  std::string less;
  bool paired = false;  // units of both groups are compared; else Welch's test
  std::size_t units = 0;
  MeanDifference difference;
  std::optional<double> corrected_p;
};

struct AvailableCount {
  std::vector<std::string> available;
  std::size_t states = 0;
  bool sampled = false;  // some of the coalitions only
};

struct Attribution {
  std::string outcome;  // primary
  std::string arm;
  std::vector<std::string> components;
  std::vector<std::string> outcomes;

  std::size_t lines = 0;  // lines of the file
  std::size_t of_other_arms = 0;
  std::size_t used = 0;                                    // lines of the arm
  std::map<std::string, std::size_t> left_out;             // lines of the arm, by reason
  std::map<std::string, std::size_t> faults_by_coalition;  // "a+b"; "nothing"
  std::map<std::string, double> undecided;  // share of the cells, by outcome that has any
  std::size_t states = 0;
  std::size_t incomplete_states = 0;
  std::size_t trajectories = 0;  // 0: unknown
  std::size_t tasks = 0;
  std::vector<AvailableCount> census;
  std::vector<std::string> alarms;  // stand above all results, in words

  std::vector<ComponentAnswer> answers;  // order: as in `components`
  std::vector<Effect> effects;
  std::vector<GroupDifference> differences;
  std::vector<ArmDifference> arms;
  std::vector<Control> controls;
  std::vector<Transfer> transfers;
};

// Errors: kUsage (an outcome, arm or label that the file has not; a label with more than
// kMostGroups groups), kNotFound (no cell that can be used).
[[nodiscard]] Result<Attribution> analyze(const StudyCells& file, const AnalysisRequest& request);

}  // namespace kbench
