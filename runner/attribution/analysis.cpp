#include "runner/attribution/analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/statistics.hpp"
#include "runner/core/suggest.hpp"

namespace kbench {
namespace {

constexpr double kLevel = 0.05;
constexpr double kMostFaults = 0.02;     // share of the lines
constexpr double kMostUndecided = 0.2;   // share of the lines with that outcome
constexpr double kMostCopies = 0.2;      // share of the further replicates
constexpr std::size_t kMostTriples = 8;  // components up to which three are looked at together

struct Choice {
  std::size_t outcome = 0;
  std::string arm;
};

Error unknown_word(const char* what, const std::string& word,
                   const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  return {ErrorCode::kUsage, fmt::format("the file has no {} \"{}\"", what, word),
          guess ? fmt::format("did you mean \"{}\"?", *guess)
                : fmt::format("it has {}",
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))};
}

std::vector<std::string> factorial_arms(const StudyCells& file) {
  std::set<std::string> there;
  for (const StudyCell& cell : file.cells)
    if (is_factorial(cell.arm)) there.insert(cell.arm);
  std::vector<std::string> arms;
  for (const std::string& arm : known_arms())
    if (there.contains(arm)) arms.push_back(arm);
  return arms;
}

Result<Choice> choose(const StudyCells& file, const AnalysisRequest& request) {
  std::vector<std::string> outcomes = file.outcomes;
  std::erase(outcomes, kTokensOutcome);
  const auto arms = factorial_arms(file);
  if (outcomes.empty() || arms.empty())
    return Error{ErrorCode::kNotFound, "no cell is of an arm with coalitions and has an outcome",
                 "kbench attribute analyze looks at the arms direct, plan and both"};
  std::string outcome = request.outcome.value_or(outcomes.front());
  if (!request.outcome && std::find(outcomes.begin(), outcomes.end(), "correct") != outcomes.end())
    outcome = "correct";
  const auto at = std::find(file.outcomes.begin(), file.outcomes.end(), outcome);
  if (at == file.outcomes.end() || outcome == kTokensOutcome)
    return unknown_word("outcome", outcome, outcomes);
  std::string arm = request.arm.value_or(arms.front());
  if (std::find(arms.begin(), arms.end(), arm) == arms.end()) return unknown_word("arm", arm, arms);
  return Choice{static_cast<std::size_t>(at - file.outcomes.begin()), std::move(arm)};
}

std::vector<std::string> names_of(const StudyCells& file, Coalition coalition) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < file.components.size(); ++at)
    if ((coalition >> at & 1u) != 0) names.push_back(file.components[at]);
  return names;
}

std::string coalition_words(const StudyCells& file, Coalition coalition) {
  return coalition == 0 ? "nothing" : fmt::format("{}", fmt::join(names_of(file, coalition), "+"));
}

// Components of any of its states. Other arms may have others ("dup").
Coalition available_in(const StudiedArm& arm) {
  Coalition all = 0;
  for (const StudiedState& state : arm.states) all |= state.available;
  return all;
}

// The group that a state belongs to; empty: none.
std::string group_of(const StudiedState& state, const std::string& by) {
  if (by == "stratum") return state.stratum;
  if (by == "generation") return state.generation ? fmt::format("{}", *state.generation) : "";
  if (by == "task") return state.task;
  const auto label = state.labels.find(by);
  return label == state.labels.end() ? "" : label->second;
}

// Effects over the states of one arm.
class Analyst {
 public:
  Analyst(const StudyCells& file, const StudiedArm& arm, Choice choice, Attribution& found)
      : file_(file), arm_(arm), choice_(std::move(choice)), found_(found) {}

  void add_effects() {
    for (std::size_t outcome = 0; outcome < file_.outcomes.size(); ++outcome) {
      for (const Coalition one : groups_of(1)) add_component(outcome, one);
      for (const Coalition pair : groups_of(2)) add_pair(outcome, pair);
      if (found_.components.size() <= kMostTriples)
        for (const Coalition three : groups_of(3)) add(outcome, Index::kBanzhaf, three, true);
    }
    for (const char* by : {"stratum", "generation"}) {
      if (groups_by(by).size() <= kMostGroups)
        add_by(by);
      else
        found_.alarms.push_back(fmt::format(
            "there are more than {} of {}: they are not looked at one by one", kMostGroups, by));
    }
  }

  void add_by(const std::string& by) {
    for (const std::string& group : groups_by(by))
      for (const Coalition one : groups_of(1))
        add(choice_.outcome, Index::kBanzhaf, one, true, by, group);
  }

  void add_differences(const std::string& by) {
    const std::set<std::string> groups = groups_by(by);
    for (const Coalition one : groups_of(1)) {
      std::map<std::string, std::vector<StateEffect>> effects;
      for (const std::string& group : groups)
        effects[group] = effects_in(choice_.outcome, Index::kBanzhaf, one, by, group);
      for (auto a = effects.begin(); a != effects.end(); ++a)
        for (auto b = std::next(a); b != effects.end(); ++b) add_difference(one, by, *a, *b);
    }
  }

  void add_answers() {
    const auto tokens = std::find(file_.outcomes.begin(), file_.outcomes.end(), kTokensOutcome);
    for (std::size_t at = 0; at < found_.effects.size(); ++at) {
      const Effect& effect = found_.effects[at];
      if (!effect.primary) continue;
      ComponentAnswer answer = judged(effect);
      answer.effect = at;
      if (tokens != file_.outcomes.end()) answer.tokens = tokens_of(effect.components.front());
      found_.answers.push_back(answer);
    }
  }

 private:
  [[nodiscard]] std::vector<Coalition> groups_of(int size) const {
    std::vector<Coalition> groups;
    const Coalition end = Coalition{1} << file_.components.size();
    for (Coalition at = 1; at < end; ++at)
      if (size_of(at) == size) groups.push_back(at);
    return groups;
  }

  [[nodiscard]] std::set<std::string> groups_by(const std::string& by) const {
    std::set<std::string> groups;
    for (const StudiedState& state : arm_.states) groups.insert(group_of(state, by));
    groups.erase("");
    return groups;
  }

  [[nodiscard]] std::vector<StateEffect> effects_in(std::size_t outcome, Index index,
                                                    Coalition group, const std::string& by,
                                                    const std::string& part) const {
    std::vector<StateEffect> effects;
    for (const StudiedState& state : arm_.states) {
      if (!by.empty() && group_of(state, by) != part) continue;
      if (const auto effect = effect_in(state, outcome, index, group))
        effects.push_back({&state, *effect});
    }
    return effects;
  }

  // Set where each outcome of these states was 0, or each was 1.
  [[nodiscard]] static std::optional<Nothing> nothing_in(const std::vector<StateEffect>& effects,
                                                         std::size_t outcome, Coalition group) {
    const auto always = [&](double value) {
      return std::all_of(effects.begin(), effects.end(), [&](const StateEffect& one) {
        const StateOutcome& of_state = one.state->outcomes.at(outcome);
        return of_state.least == value && of_state.most == value;
      });
    };
    if (effects.empty() || (!always(0) && !always(1))) return std::nullopt;
    return Nothing{largest_interaction(group)};
  }

  void add_component(std::size_t outcome, Coalition one) {
    add(outcome, Index::kBanzhaf, one, true);
    for (const Index index : {Index::kShapley, Index::kAddOne, Index::kLeaveOneOut})
      add(outcome, index, one, false);
  }

  void add_pair(std::size_t outcome, Coalition pair) {
    add(outcome, Index::kBanzhaf, pair, true);
    for (const Index index : {Index::kShapley, Index::kShapleyTaylor, Index::kSigma})
      add(outcome, index, pair, false);
  }

  void add(std::size_t outcome, Index index, Coalition group, bool tested,
           const std::string& by = "", const std::string& part = "") {
    const auto effects = effects_in(outcome, index, group, by, part);
    if (effects.empty()) return;
    const auto nothing = nothing_in(effects, outcome, group);
    const auto over = [&](UnitKind kind) {
      return estimate(values_in(by_unit(effects, kind)), nothing);
    };
    Effect effect;
    effect.index = index;
    effect.components = names_of(file_, group);
    effect.outcome = file_.outcomes[outcome];
    effect.by = by;
    effect.group = part;
    effect.states = effects.size();
    effect.unit = widest_kind(effects);
    effect.estimate = over(effect.unit);
    if (effect.unit != UnitKind::kState) effect.over_states = over(UnitKind::kState);
    effect.tested = tested && effect.outcome != kTokensOutcome;
    effect.primary =
        index == Index::kBanzhaf && size_of(group) == 1 && by.empty() && outcome == choice_.outcome;
    found_.effects.push_back(std::move(effect));
  }

  using EffectsOfGroup = std::pair<const std::string, std::vector<StateEffect>>;

  void add_difference(Coalition one, const std::string& by, const EffectsOfGroup& a,
                      const EffectsOfGroup& b) {
    const auto& [group_a, of_a] = a;
    const auto& [group_b, of_b] = b;
    // The widest kind of unit of which both groups have enough.
    const UnitKind kind = std::max(widest_kind(of_a), widest_kind(of_b));
    GroupDifference found{
        .component = names_of(file_, one).front(), .by = by, .group = group_a, .less = group_b};
    const auto difference = compared(by_unit(of_a, kind), by_unit(of_b, kind), found);
    if (!difference) return;
    found.difference = *difference;
    found_.differences.push_back(std::move(found));
  }

  // Units in both groups are compared with themselves; only where there are none are the groups
  // independent.
  static std::optional<MeanDifference> compared(const UnitEffects& a, const UnitEffects& b,
                                                GroupDifference& found) {
    std::vector<double> pairs;
    auto other = b.begin();
    for (const auto& [unit, mean] : a) {
      while (other != b.end() && other->unit < unit) ++other;
      if (other != b.end() && other->unit == unit) pairs.push_back(mean - other->mean);
    }
    found.paired = !pairs.empty();
    found.units = found.paired ? pairs.size() : a.size() + b.size();
    if (!found.paired) return welch(values_in(a), values_in(b));
    const Estimate over = estimate(pairs);
    if (!over.interval) return std::nullopt;
    return MeanDifference{over.mean, static_cast<double>(over.units) - 1, *over.interval, *over.p};
  }

  [[nodiscard]] std::optional<double> tokens_of(const std::string& component) const {
    for (const Effect& effect : found_.effects)
      if (effect.index == Index::kBanzhaf && effect.outcome == kTokensOutcome &&
          effect.by.empty() && effect.components == std::vector{component})
        return effect.estimate.mean;
    return std::nullopt;
  }

  static ComponentAnswer judged(const Effect& effect) {
    ComponentAnswer answer;
    const Estimate& over = effect.estimate;
    if (!over.interval) return answer;
    if (over.interval->low > -kSmallEffect && over.interval->high < kSmallEffect) {
      answer.advice = Advice::kNoUse;
    } else if (effect.corrected_p.value_or(1) < kLevel) {
      answer.advice = over.mean > 0 ? Advice::kKeep : Advice::kHarms;
    } else {
      answer.would_see = std::max(std::abs(over.mean), kSmallEffect);
      const std::size_t needed = units_to_see(over.deviation, answer.would_see);
      if (needed > over.units) answer.more_units = needed - over.units;
    }
    return answer;
  }

  const StudyCells& file_;
  const StudiedArm& arm_;
  Choice choice_;
  Attribution& found_;
};

// Corrects the p-values of one family, which stand anywhere.
struct TestedValue {
  double p;
  std::optional<double>* corrected;
};

void correct(const std::vector<TestedValue>& tests,
             std::vector<double> (*rule)(const std::vector<double>&)) {
  std::vector<double> p_values;
  for (const TestedValue& test : tests) p_values.push_back(test.p);
  const auto corrected = rule(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) *tests[i].corrected = corrected[i];
}

void correct_all(Attribution& found) {
  std::vector<TestedValue> primary;
  std::vector<TestedValue> others;
  for (Effect& effect : found.effects)
    if (effect.tested && effect.estimate.p)
      (effect.primary ? primary : others).push_back({*effect.estimate.p, &effect.corrected_p});
  for (GroupDifference& one : found.differences)
    others.push_back({one.difference.p, &one.corrected_p});
  for (ArmDifference& one : found.arms)
    if (one.estimate.p) others.push_back({*one.estimate.p, &one.corrected_p});
  correct(primary, holm);
  correct(others, benjamini_hochberg);
}

// Share of the further replicates of a coalition whose reply an earlier one gave already.
double share_of_copies(const StudyCells& file, const std::string& arm) {
  std::map<std::pair<std::string, Coalition>, std::set<std::string>> replies;
  double further = 0;
  double copies = 0;
  for (const StudyCell& cell : file.cells) {
    if (cell.arm != arm || cell.reply.empty()) continue;
    auto& before = replies[{cell.state, cell.coalition}];
    if (!before.empty()) {
      ++further;
      if (before.contains(cell.reply)) ++copies;
    }
    before.insert(cell.reply);
  }
  return further == 0 ? 0 : copies / further;
}

// Share of the arm's cells whose outcome is undecided, of outcomes that have such cells.
std::map<std::string, double> undecided_shares(const StudyCells& file, const std::string& arm) {
  std::map<std::string, double> shares;
  for (std::size_t outcome = 0; outcome < file.outcomes.size(); ++outcome) {
    double all = 0;
    double undecided = 0;
    for (const StudyCell& cell : file.cells) {
      if (cell.arm != arm || !cell.outcomes.contains(outcome)) continue;
      ++all;
      undecided += cell.undecided >> outcome & 1u;
    }
    if (undecided > 0) shares.emplace(file.outcomes[outcome], undecided / all);
  }
  return shares;
}

// Whether the outcome was 0 in each cell of each state that has it.
bool never_happened(const StudiedArm& arm, std::size_t outcome) {
  return std::all_of(arm.states.begin(), arm.states.end(), [&](const StudiedState& state) {
    const auto found = state.outcomes.find(outcome);
    return found == state.outcomes.end() || (found->second.least == 0 && found->second.most == 0);
  });
}

void add_alarms(const StudyCells& file, const StudiedArm& arm, std::size_t primary,
                Attribution& found) {
  if (!found.answers.empty() && never_happened(arm, primary))
    found.alarms.push_back(fmt::format(
        "nothing was ever {}: it is 0 in all {} cells, so that effects have a bound alone",
        found.outcome, found.used));
  for (const Control& one : found.controls)
    if (one.failed)
      found.alarms.push_back(
          fmt::format("the control {} fails: {} is {:+.2f} and ought to be 0 (p = {:.2g})",
                      one.name, one.what, one.estimate.mean, *one.corrected_p));
  if (arm.incomplete > 0)
    found.alarms.push_back(fmt::format("the study is incomplete: {} of {} states are left out",
                                       arm.incomplete, arm.incomplete + arm.states.size()));
  const auto faults = static_cast<double>(arm.fault_lines);
  if (faults > kMostFaults * static_cast<double>(arm.lines)) {
    std::vector<std::string> by;
    for (const auto& [coalition, count] : found.faults_by_coalition)
      by.push_back(fmt::format("{} × {}", count, coalition));
    found.alarms.push_back(fmt::format("{:.1f} % of the cells were dropped after a fault: {}",
                                       100 * faults / static_cast<double>(arm.lines),
                                       fmt::join(by, ", ")));
  }
  const double copies = share_of_copies(file, found.arm);
  if (copies > kMostCopies)
    found.alarms.push_back(fmt::format(
        "{:.0f} % of the further replicates are copies of an earlier reply", 100 * copies));
  for (const auto& [outcome, share] : found.undecided)
    if (share > kMostUndecided)
      found.alarms.push_back(fmt::format(
          "{:.0f} % of the cells are undecided about {}: its effects come out too small",
          100 * share, outcome));
}

void add_counts(const StudyCells& file, const StudiedArm& arm, Attribution& found) {
  found.lines = file.cells.size();
  found.of_other_arms = found.lines - arm.lines;
  found.used = arm.cells;
  found.left_out = arm.left_out;
  for (const auto& [coalition, count] : arm.faults)
    found.faults_by_coalition[coalition_words(file, coalition)] += count;
  found.states = arm.states.size();
  found.undecided = undecided_shares(file, found.arm);
  found.incomplete_states = arm.incomplete;
  std::set<std::string> trajectories;
  std::set<std::string> tasks;
  std::map<std::pair<Coalition, bool>, std::size_t> census;
  for (const StudiedState& state : arm.states) {
    trajectories.insert(state.trajectory);
    tasks.insert(state.task);
    const bool sampled =
        !state.outcomes.empty() && state.outcomes.begin()->second.transform.empty();
    ++census[{state.available, sampled}];
  }
  found.trajectories = trajectories.contains("") ? 0 : trajectories.size();
  found.tasks = tasks.contains("") ? 0 : tasks.size();
  for (const auto& [what, states] : census)
    found.census.push_back({names_of(file, what.first), states, what.second});
}

Status check_by(const std::vector<std::string>& by, const StudiedArm& arm) {
  std::set<std::string> known = {"generation", "stratum", "task"};
  for (const StudiedState& state : arm.states)
    for (const auto& [label, value] : state.labels) known.insert(label);
  for (const std::string& one : by) {
    if (!known.contains(one)) return unknown_word("label", one, {known.begin(), known.end()});
    std::set<std::string> groups;
    for (const StudiedState& state : arm.states) groups.insert(group_of(state, one));
    if (groups.size() > kMostGroups)
      return Error{
          ErrorCode::kUsage,
          fmt::format("\"{}\" has {} groups, which cannot all be compared", one, groups.size()),
          fmt::format("there may be {}; choose another label, or lines of fewer groups",
                      kMostGroups)};
  }
  return Done{};
}

}  // namespace

std::string_view to_string(Advice advice) {
  switch (advice) {
    case Advice::kKeep: return "keep";
    case Advice::kHarms: return "harms";
    case Advice::kNoUse: return "no use";
    case Advice::kCannotTell: return "cannot tell";
  }
  return "";
}

Result<Attribution> analyze(const StudyCells& file, const AnalysisRequest& request) {
  const auto choice = choose(file, request);
  if (!choice) return choice.error();
  const StudiedArm arm = study_arm(file, choice->arm);
  if (arm.states.empty())
    return Error{
        ErrorCode::kNotFound,
        fmt::format("no state of the arm {} was tried under all of its coalitions", choice->arm),
        "a state with n components needs 2^n coalitions; above five, coalitions with their "
        "complements"};
  if (auto known = check_by(request.by, arm); !known) return known.error();
  Attribution found;
  found.outcome = file.outcomes[choice->outcome];
  found.arm = choice->arm;
  found.components = names_of(file, available_in(arm));
  found.outcomes = file.outcomes;
  add_counts(file, arm, found);
  Analyst analyst(file, arm, *choice, found);
  analyst.add_effects();
  for (const std::string& by : request.by) {
    if (by != "stratum" && by != "generation") analyst.add_by(by);
    analyst.add_differences(by);
  }
  found.arms = arm_differences(file);
  found.controls = controls(file, choice->outcome, choice->arm);
  found.transfers = transfers(file);
  correct_all(found);
  analyst.add_answers();
  add_alarms(file, arm, choice->outcome, found);
  return found;
}

}  // namespace kbench
