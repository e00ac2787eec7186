#include "runner/attribution/arms.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

constexpr double kLevel = 0.05;

// States as units need them, without their outcomes.
using KnownStates = std::map<std::string, StudiedState>;

struct Sum {
  double values = 0;
  double count = 0;
};
// Mean of an outcome in each state.
using StateMeans = std::map<std::string, double>;

KnownStates known_states(const StudyCells& file) {
  KnownStates states;
  for (const StudyCell& cell : file.cells) {
    StudiedState state;
    state.id = cell.state;
    state.task = cell.task;
    state.trajectory = cell.trajectory;
    states.try_emplace(cell.state, std::move(state));
  }
  std::vector<StudiedState*> all;
  for (auto& [id, state] : states) all.push_back(&state);
  number_names(all);
  return states;
}

bool has_arm(const StudyCells& file, std::string_view arm) {
  return std::any_of(file.cells.begin(), file.cells.end(),
                     [&](const StudyCell& cell) { return cell.arm == arm; });
}

StateMeans means_of(const StudyCells& file, std::string_view arm, std::size_t outcome,
                    const std::optional<Coalition>& coalition = {}) {
  std::map<std::string, Sum> sums;
  for (const StudyCell& cell : file.cells) {
    const auto value = cell.outcomes.find(outcome);
    if (cell.arm != arm || value == cell.outcomes.end()) continue;
    if (coalition && cell.coalition != *coalition) continue;
    sums[cell.state].values += value->second;
    ++sums[cell.state].count;
  }
  StateMeans means;
  for (const auto& [state, sum] : sums) means.emplace(state, sum.values / sum.count);
  return means;
}

std::vector<StateEffect> difference(const StateMeans& of, const StateMeans& less,
                                    const KnownStates& states) {
  std::vector<StateEffect> effects;
  for (const auto& [state, value] : of)
    if (const auto other = less.find(state); other != less.end())
      effects.push_back({&states.at(state), value - other->second});
  return effects;
}

Estimate estimate_over(const std::vector<StateEffect>& effects, UnitKind kind) {
  return estimate(values_in(by_unit(effects, kind)));
}

Control control(std::string name, std::string what, const std::vector<StateEffect>& effects) {
  return {
      std::move(name), std::move(what), estimate_over(effects, widest_kind(effects)), {}, false};
}

// Both names of the component, where the arm has two.
std::optional<std::pair<Coalition, Coalition>> names_of_dup(const StudyCells& file) {
  for (const StudyCell& cell : file.cells)
    if (cell.arm == "dup" && size_of(cell.available) == 2) {
      const Coalition first = cell.available & (~cell.available + 1);
      return std::pair{first, cell.available & ~first};
    }
  return std::nullopt;
}

void judge(std::vector<Control>& tests) {
  std::vector<double> p_values;
  for (const Control& test : tests) p_values.push_back(test.estimate.p.value_or(1));
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (!tests[i].estimate.p) continue;
    tests[i].corrected_p = corrected[i];
    tests[i].failed = corrected[i] < kLevel;
  }
}

std::vector<Control> dup_controls(const StudyCells& file, std::size_t outcome,
                                  const KnownStates& states) {
  const auto names = names_of_dup(file);
  if (!names) return {};
  const auto mean = [&](Coalition coalition) { return means_of(file, "dup", outcome, coalition); };
  const StateMeans first = mean(names->first);
  const StateMeans second = mean(names->second);
  StateMeans either;
  for (const auto& [state, value] : first)
    if (const auto other = second.find(state); other != second.end())
      either.emplace(state, (value + other->second) / 2);
  std::vector<Control> tests = {
      control("dup", "one name less the other", difference(first, second, states)),
      control("dup", "both names less one",
              difference(mean(names->first | names->second), either, states))};
  judge(tests);
  return tests;
}

}  // namespace

std::vector<ArmDifference> arm_differences(const StudyCells& file) {
  constexpr std::array<std::pair<const char*, const char*>, 8> kPairs = {{{"NP+F", "NP+NF"},
                                                                          {"P+NF", "NP+NF"},
                                                                          {"P+F", "P+NF"},
                                                                          {"P+F", "P+RF"},
                                                                          {"P+F", "DP"},
                                                                          {"P+S", "P+F"},
                                                                          {"NP+S", "NP+F"},
                                                                          {"filler", "NP+NF"}}};
  const KnownStates states = known_states(file);
  std::vector<ArmDifference> found;
  for (const auto& [arm, less] : kPairs) {
    if (!has_arm(file, arm) || !has_arm(file, less)) continue;
    for (std::size_t outcome = 0; outcome < file.outcomes.size(); ++outcome) {
      if (file.outcomes[outcome] == kTokensOutcome) continue;
      const auto effects =
          difference(means_of(file, arm, outcome), means_of(file, less, outcome), states);
      if (effects.empty()) continue;
      const UnitKind kind = widest_kind(effects);
      found.push_back({arm,
                       less,
                       file.outcomes[outcome],
                       kind,
                       effects.size(),
                       estimate_over(effects, kind),
                       {}});
    }
  }
  return found;
}

std::vector<Control> controls(const StudyCells& file, std::size_t outcome, const std::string& arm) {
  const KnownStates states = known_states(file);
  std::vector<Control> found;
  const auto sham =
      difference(means_of(file, "sham", outcome), means_of(file, arm, outcome, 0), states);
  if (!sham.empty()) {
    std::vector<Control> tests = {control("sham", "a heading alone less nothing", sham)};
    judge(tests);
    found.push_back(std::move(tests.front()));
  }
  for (Control& test : dup_controls(file, outcome, states)) found.push_back(std::move(test));
  return found;
}

std::vector<Transfer> transfers(const StudyCells& file) {
  if (!has_arm(file, "transfer:own")) return {};
  const KnownStates states = known_states(file);
  std::vector<Transfer> found;
  for (std::size_t outcome = 0; outcome < file.outcomes.size(); ++outcome) {
    if (file.outcomes[outcome] == kTokensOutcome) continue;
    const StateMeans own = means_of(file, "transfer:own", outcome);
    const StateMeans plan = means_of(file, "transfer:plan", outcome);
    StateMeans strong = means_of(file, "transfer:strong", outcome);
    std::erase_if(strong, [&](const auto& one) { return !plan.contains(one.first); });
    const auto gap = difference(strong, own, states);
    StateMeans planned;
    for (const StateEffect& one : gap) planned.emplace(one.state->id, plan.at(one.state->id));
    const auto gain = difference(planned, own, states);
    if (gain.empty()) continue;
    const UnitKind kind = widest_kind(gain);
    const auto parts = values_in(by_unit(gain, kind));
    const auto wholes = values_in(by_unit(gap, kind));
    found.push_back({file.outcomes[outcome], kind, gain.size(), estimate(parts), estimate(wholes),
                     fieller(parts, wholes)});
  }
  return found;
}

}  // namespace kbench
