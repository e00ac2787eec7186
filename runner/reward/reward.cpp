#include "runner/reward/reward.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/lines.hpp"
#include "runner/core/suggest.hpp"

namespace kbench {
namespace {

using Ratio = std::optional<RewardRow::Ratio>;

constexpr std::array kKinds{
    RewardKind{RewardFormula::kMilestoneSure, "milestone_sure",
               "as milestone, with the low ends of E's and C's intervals", "-1"},
    // CUDA Agent's; speedup is what its ablation trained on.
    RewardKind{RewardFormula::kMilestone, "milestone",
               "3 if E and C are above 1/0.95, 2 if E is, else 1", "-1"},
    RewardKind{RewardFormula::kSpeedup, "speedup", "C", "0"},
    RewardKind{RewardFormula::kLog, "log", "ln C, clamped to [-1, 3]", "-1"},
    // KernelGYM's; the first one is its default.
    RewardKind{RewardFormula::kKernelGym, "kernelgym", "1 if E is at least 1.01, else 0.5", "0"},
    RewardKind{RewardFormula::kKernelGymSpeedup, "kernelgym_speedup", "0.5 + 0.5 min(E, 3)", "0"},
    RewardKind{RewardFormula::kKernelGymLadder, "kernelgym_ladder",
               "E >= 3: 1, 2: .8, 1.5: .6, 1.2: .4, 1: .2; else -.1",
               "not compiled -.5, wrong -.3, else -1"},
    RewardKind{RewardFormula::kKernrl, "kernrl", "min(E - 1, 2), and half of that if negative",
               "not compiled -.5, else -.25"},
    RewardKind{RewardFormula::kKevin, "kevin", "0.3 + E", "0"},
    RewardKind{RewardFormula::kFastP, "fast_p:P", "1 if E is above P, else 0", "0"},
    // Runs with --vendor have V. Tasks that are no call of a library have no value.
    RewardKind{RewardFormula::kVendorSpeedup, "vendor_speedup", "V", "0"},
    RewardKind{RewardFormula::kVendorLog, "vendor_log", "ln V, clamped to [-1, 3]", "-1"},
    RewardKind{RewardFormula::kVendorFastP, "vendor_fast_p:P", "1 if V is above P, else 0", "0"},
    RewardKind{RewardFormula::kVendorSureFastP, "vendor_sure_fast_p:P",
               "1 if V's low end is above P, else 0", "0"},
};

const RewardKind* find_kind(std::string_view name) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [name](const RewardKind& kind) { return kind.name == name; });
  return found == kKinds.end() ? nullptr : found;
}

Error unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const RewardKind& kind : kKinds) names.emplace_back(kind.name);
  const auto guess = nearest(std::string(name.substr(0, 64)), names);
  return {ErrorCode::kUsage, fmt::format("no reward is called \"{}\"", name.substr(0, 64)),
          guess ? fmt::format("did you mean \"{}\"?", *guess)
                : fmt::format("there are {}", fmt::join(names, ", "))};
}

// "fast_p:" of "fast_p:P".
std::string_view before_threshold(const RewardKind& kind) {
  return kind.name.substr(0, kind.name.size() - 1);
}

Result<RewardRule> with_threshold(const RewardKind& kind, std::string_view name) {
  const std::string_view number = name.substr(before_threshold(kind).size());
  double p = 0;
  const auto [end, failed] =
      std::from_chars(number.data(), number.data() + number.size(), p, std::chars_format::fixed);
  const bool whole = failed == std::errc() && end == number.data() + number.size();
  if (whole && p > 0 && p <= 1000) return RewardRule{std::string(name), kind.formula, p};
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" names no speed-up above 0 and up to 1000", name.substr(0, 64)),
               "fast_p:1 is faster than eager, fast_p:1.5 needs two thirds of its time"};
}

// True for a submission that never came as far as being called.
bool not_compiled(State state) {
  return state == State::kCompileError || state == State::kMissingSymbol ||
         state == State::kLoadError;
}

double of_failed(RewardFormula formula, State state) {
  switch (formula) {
    case RewardFormula::kMilestone:
    case RewardFormula::kMilestoneSure: return milestone_reward(false, false, false);
    case RewardFormula::kVendorLog:
    case RewardFormula::kLog: return -1;
    case RewardFormula::kKernelGymLadder:
      return not_compiled(state) ? -0.5 : state == State::kWrongResult ? -0.3 : -1;
    case RewardFormula::kKernrl: return not_compiled(state) ? -0.5 : -0.25;
    case RewardFormula::kSpeedup:
    case RewardFormula::kKernelGym:
    case RewardFormula::kKernelGymSpeedup:
    case RewardFormula::kKevin:
    case RewardFormula::kFastP:
    case RewardFormula::kVendorSpeedup:
    case RewardFormula::kVendorFastP:
    case RewardFormula::kVendorSureFastP: return 0;
  }
  return 0;
}

double ladder(double speedup) {
  constexpr std::array<std::pair<double, double>, 5> kSteps{
      {{3, 1}, {2, 0.8}, {1.5, 0.6}, {1.2, 0.4}, {1, 0.2}}};
  for (const auto& [from, worth] : kSteps)
    if (speedup >= from) return worth;
  return -0.1;
}

double kernrl(double speedup) {
  const double gain = std::min(speedup - 1, 2.0);
  return gain < 0 ? 0.5 * gain : gain;
}

// Why a step over a baseline cannot be told from none; empty where it can.
std::string why_unknown(const Ratio& ratio, std::string_view baseline, bool surely) {
  if (!ratio) return fmt::format("no time over {}", baseline);
  if (surely && !ratio->sure)
    return fmt::format("no interval over {} that holds for another run", baseline);
  return "";
}

// A milestone that cannot be known counts as not reached, and the reward says that it was out of
// reach.
void add_milestone(const RewardRow& row, bool surely, Reward& made) {
  const auto beyond = [surely](const Ratio& ratio) {
    if (!ratio) return false;
    return surely ? ratio->sure && ratio->low > kMilestoneSpeedup
                  : ratio->estimate > kMilestoneSpeedup;
  };
  made.value = milestone_reward(true, beyond(row.eager), beyond(row.compiled));
  made.reason = why_unknown(row.eager, "eager", surely);
  if (made.reason.empty()) made.reason = why_unknown(row.compiled, "compiled", surely);
  made.capped = !made.reason.empty();
}

double of_speedup(const RewardRule& rule, double speedup) {
  switch (rule.formula) {
    case RewardFormula::kVendorSpeedup:
    case RewardFormula::kSpeedup: return speedup;
    case RewardFormula::kVendorLog:
    case RewardFormula::kLog: return std::clamp(std::log(speedup), -1.0, 3.0);
    case RewardFormula::kKernelGym: return speedup >= 1.01 ? 1 : 0.5;
    case RewardFormula::kKernelGymSpeedup: return 0.5 + 0.5 * std::min(speedup, 3.0);
    case RewardFormula::kKernelGymLadder: return ladder(speedup);
    case RewardFormula::kKernrl: return kernrl(speedup);
    case RewardFormula::kKevin: return 0.3 + speedup;
    case RewardFormula::kVendorFastP:
    case RewardFormula::kVendorSureFastP:
    case RewardFormula::kFastP: return speedup > rule.p ? 1 : 0;
    case RewardFormula::kMilestone:
    case RewardFormula::kMilestoneSure: break;  // two speed-ups: see add_milestone
  }
  return 0;
}

bool is_over_compiled(RewardFormula formula) {
  return formula == RewardFormula::kSpeedup || formula == RewardFormula::kLog;
}

// The ratio, but no more than that of a kernel as fast as the baseline.
Ratio at_most_same(Ratio ratio) {
  if (!ratio) return ratio;
  return RewardRow::Ratio{std::min(ratio->estimate, 1.0), std::min(ratio->low, 1.0), ratio->sure};
}

bool is_milestone(RewardFormula formula) {
  return formula == RewardFormula::kMilestone || formula == RewardFormula::kMilestoneSure;
}

// The speed-up that a formula is made of, and over what.
std::pair<const Ratio&, std::string_view> basis_of(RewardFormula formula, const RewardRow& row) {
  if (is_over_vendor(formula)) return {row.vendor, "the vendor's library"};
  if (is_over_compiled(formula)) return {row.compiled, "compiled"};
  return {row.eager, "eager"};
}

void add_correct(const RewardRule& rule, const RewardRow& row, Reward& made) {
  if (is_milestone(rule.formula))
    return add_milestone(row, rule.formula == RewardFormula::kMilestoneSure, made);
  const bool surely = rule.formula == RewardFormula::kVendorSureFastP;
  const auto& [ratio, baseline] = basis_of(rule.formula, row);
  made.reason = why_unknown(ratio, baseline, surely);
  if (!made.reason.empty()) return;
  made.value = of_speedup(rule, surely ? ratio->low : ratio->estimate);
}

// The reward of a correct row that is not paid for its speed-up.
void add_without_speedup(const RewardRule& rule, RewardRow row, Reward& made) {
  if (row.pay == Pay::kFailure) {
    made.value = of_failed(rule.formula, State::kForbiddenLibrary);
  } else {
    row.eager = at_most_same(row.eager);
    row.compiled = at_most_same(row.compiled);
    row.vendor = at_most_same(row.vendor);
    add_correct(rule, row, made);
    if (!is_milestone(rule.formula) && row.pay == Pay::kCorrect) made.value.reset();
    made.capped = made.value.has_value();
  }
  made.reason = row.pay_reason;
}

}  // namespace

std::string_view to_string(Pay pay) {
  switch (pay) {
    case Pay::kSpeedup: return "speedup";
    case Pay::kAtMostSame: return "at_most_same";
    case Pay::kCorrect: return "correct";
    case Pay::kFailure: return "failure";
  }
  return "correct";
}

std::span<const RewardKind> reward_kinds() { return kKinds; }

bool has_threshold(RewardFormula formula) {
  return formula == RewardFormula::kFastP || formula == RewardFormula::kVendorFastP ||
         formula == RewardFormula::kVendorSureFastP;
}

bool is_over_vendor(RewardFormula formula) {
  return formula == RewardFormula::kVendorSpeedup || formula == RewardFormula::kVendorLog ||
         formula == RewardFormula::kVendorFastP || formula == RewardFormula::kVendorSureFastP;
}

Result<RewardRule> find_reward(std::string_view name) {
  for (const RewardKind& kind : kKinds)
    if (has_threshold(kind.formula) && name.starts_with(before_threshold(kind)))
      return with_threshold(kind, name);
  const RewardKind* kind = find_kind(name);
  if (kind == nullptr || has_threshold(kind->formula)) return unknown(name);
  return RewardRule{std::string(name), kind->formula};
}

std::string why_no_reward(const RewardRow& row) {
  if (row.state == State::kNoSubmission) return "nobody submitted";
  if (row.state == State::kSkipped)
    return row.message.empty() ? "it was skipped" : first_line(row.message);
  if (fault_of(row.state) == Fault::kInfrastructure)
    return "a fault of kbench or of the machine, not of the submission";
  if (!row.unranked.empty()) return "it counts in no score: " + row.unranked;
  if (fault_of(row.state) == Fault::kNone && !row.correct) return "it was never judged";
  return "";
}

Reward reward(const RewardRule& rule, const RewardRow& row) {
  Reward made{.name = rule.name};
  made.reason = why_no_reward(row);
  if (!made.reason.empty()) return made;
  if (fault_of(row.state) == Fault::kSubmission)
    made.value = of_failed(rule.formula, row.state);
  else if (row.pay == Pay::kSpeedup)
    add_correct(rule, row, made);
  else
    add_without_speedup(rule, row, made);
  return made;
}

}  // namespace kbench
