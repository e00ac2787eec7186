#include "reports/over_time/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_words.hpp"
#include "reports/facts/selection.hpp"
#include "runner/core/statistics.hpp"

namespace kbench {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // task, agent, variant

// The evaluation that stands for each submission.
using Standing = std::map<Key, const Evaluation*>;

bool could_be_read(const Evaluation& evaluation) {
  return !evaluation.submission->source_hash.empty();
}

Standing standing_of(const ReportData& data) {
  Standing standing;
  for (const Evaluation& evaluation : data.evaluations) {
    if (!evaluation.submission || evaluation.state == State::kSkipped) continue;
    const Evaluation*& chosen =
        standing[{evaluation.task, evaluation.submission->agent, evaluation.submission->variant}];
    // A submission that could not be read tells no variant: it may be another than the one that was
    // read.
    if (chosen != nullptr && could_be_read(*chosen) && !could_be_read(evaluation)) continue;
    chosen = &evaluation;
  }
  return standing;
}

std::string join(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class Of>
std::string values(const ReportData& data, Of&& of) {
  std::set<std::string> found;
  for (const Evaluation& evaluation : data.evaluations) found.insert(of(evaluation));
  return join(found);
}

// Uses of torch that a run allowed to its Python submissions; empty where it has none.
std::string torch_policy(const ReportData& data) {
  std::set<std::string> found;
  for (const Evaluation& evaluation : data.evaluations)
    if (!evaluation.allow_torch.empty() && evaluation.state != State::kSkipped)
      found.insert(evaluation.allow_torch);
  return join(found);
}

// The rows themselves say more than the run's options: they are what was measured.
void look(std::vector<Difference>& differences, const char* what, std::string before,
          std::string after) {
  const bool known = !before.empty() && !after.empty();
  if (known && before != after) differences.push_back({what, std::move(before), std::move(after)});
}

std::string state_words(const ResultRow& row) {
  return row.state == State::kOk ? std::string("not correct") : words(row.state);
}

// Why a row's speed-up gives no verdict; empty where it may.
std::string why_undecided(const ResultRow& row, Side baseline) {
  const std::optional<Speedup>& ratio = row.over(baseline);
  if (!ratio) {
    const Timing& timing = row.time_of(baseline);
    return timing.reason.empty() ? fmt::format("no speed-up over {}", to_string(baseline))
                                 : fmt::format("{}: {}", to_string(baseline), timing.reason);
  }
  if (!row.no_verdict_kind.empty()) return row.no_verdict_kind;
  constexpr double kLeastConfidence = 0.95;
  return ratio->confidence < kLeastConfidence ? "its interval holds less than 95 %" : "";
}

// Judges the times of two rows that are both correct.
void judge_times(ComparedRow& row, Side baseline) {
  row.change = Change::kUndecided;
  const auto& before = row.before->over(baseline);
  const auto& after = row.after->over(baseline);
  if (before && after) row.ratio = change_between(*before, *after);
  const std::string then = why_undecided(*row.before, baseline);
  const std::string now = why_undecided(*row.after, baseline);
  if (!then.empty() || !now.empty())
    row.reason = then == now   ? fmt::format("both: {}", now)
                 : now.empty() ? fmt::format("before: {}", then)
                               : fmt::format("after: {}", now);
}

void judge_states(ComparedRow& row, Side baseline) {
  if (!row.before || !row.after) {
    row.change = row.before ? Change::kGone : Change::kNew;
    const ResultRow& there = row.before ? *row.before : *row.after;
    if (!there.counts_as_correct()) row.reason = state_words(there);
    return;
  }
  const bool passed = row.before->counts_as_correct();
  const bool passes = row.after->counts_as_correct();
  if (passed && passes) return judge_times(row, baseline);
  // Our own fault or the machine's says nothing about a submission.
  const bool nobody_knows =
      row.before->fault == Fault::kInfrastructure || row.after->fault == Fault::kInfrastructure;
  row.change = nobody_knows ? Change::kUndecided
               : passed     ? Change::kNowFails
               : passes     ? Change::kNowPasses
                            : Change::kSame;
  row.reason = passed   ? state_words(*row.after)
               : passes ? fmt::format("before: {}", state_words(*row.before))
                        : fmt::format("fails in both: {}", state_words(*row.after));
}

// Judges ratios over all rows that are judged by their ratio: each of them is a chance to be wrong.
void judge_ratios(std::vector<ComparedRow>& rows) {
  std::vector<ComparedRow*> judged;
  std::vector<double> p_values;
  for (ComparedRow& row : rows) {
    if (!row.ratio || !row.reason.empty()) continue;
    judged.push_back(&row);
    p_values.push_back(row.ratio->p);
  }
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    ComparedRow& row = *judged[i];
    const double margin = std::log1p(same_margin(row.after->device));
    row.corrected_p = corrected[i];
    if (row.ratio->low >= -margin && row.ratio->high <= margin) {
      row.change = Change::kSame;
    } else if (corrected[i] <= kLevelOfDoubt) {
      row.change = row.ratio->estimate > 0 ? Change::kFaster : Change::kSlower;
    }
  }
}

void pair_up(const ReportData& before, const ReportData& after, Comparison& comparison) {
  const Selection asked_before(before);
  const Selection asked_after(after);
  const Standing then = standing_of(before);
  const Standing now = standing_of(after);
  std::set<Key> keys;
  for (const auto& [key, evaluation] : then) keys.insert(key);
  for (const auto& [key, evaluation] : now) keys.insert(key);
  for (const Key& key : keys) {
    ComparedRow row;
    std::tie(row.task, row.agent, row.variant) = key;
    const auto a = then.find(key);
    const auto b = now.find(key);
    if (a == then.end() && !asked_before.takes(row.task, row.agent)) {
      ++comparison.left_out_after;
      continue;
    }
    if (b == now.end() && (!asked_after.takes(row.task, row.agent) ||
                           asked_after.is_elsewhere(asked_before, row.agent))) {
      ++comparison.left_out_before;
      continue;
    }
    if (a != then.end()) {
      row.before = derive(before, *a->second);
      row.submission_before = a->second->submission;
    }
    if (b != now.end()) {
      row.after = derive(after, *b->second);
      row.submission_after = b->second->submission;
    }
    if (row.before && row.after) {
      row.same_source = could_be_read(*b->second) &&
                        a->second->submission->source_hash == b->second->submission->source_hash;
      row.same_task = a->second->task_hash == b->second->task_hash;
    }
    judge_states(row, comparison.baseline);
    comparison.rows.push_back(std::move(row));
  }
}

std::optional<Difference> changed_tasks(const std::vector<ComparedRow>& rows) {
  std::set<std::string> changed;
  for (const ComparedRow& row : rows)
    if (!row.same_task) changed.insert(row.task);
  if (changed.empty()) return std::nullopt;
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> named(changed.begin(), changed.end());
  std::string text;
  if (named.size() > kNamed) {
    text = fmt::format(" and {} more", named.size() - kNamed);
    named.resize(kNamed);
  }
  return Difference{"task files", "as they were",
                    fmt::format("{}{} changed", fmt::join(named, ", "), text)};
}

// A number in any case: NaN has no place in an order.
double by_ratio(const ComparedRow& row) {
  return row.ratio && std::isfinite(row.ratio->estimate) ? row.ratio->estimate : 0;
}

void worst_first(std::vector<ComparedRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedRow& a, const ComparedRow& b) {
    return std::tuple(a.change, by_ratio(a)) < std::tuple(b.change, by_ratio(b));
  });
}

void caution_about(const ReportData& data, const char* which, std::vector<std::string>& cautions) {
  if (data.run.finished_at.empty())
    cautions.push_back(fmt::format("the run {} is not finished: rows may be missing", which));
  if (const std::string rerun = rerun_words(data.run); !rerun.empty())
    cautions.push_back(fmt::format("the run {} is a part of another: {}", which, rerun));
  if (data.chain.state != ChainFinding::State::kHolds)
    cautions.push_back(fmt::format("rows of the run {} are {}: {}", which,
                                   to_string(data.chain.state), data.chain.message));
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::kNowFails: return "NOW FAILS";
    case Change::kGone: return "GONE";
    case Change::kSlower: return "SLOWER";
    case Change::kUndecided: return "UNDECIDED";
    case Change::kNew: return "NEW";
    case Change::kNowPasses: return "NOW PASSES";
    case Change::kFaster: return "FASTER";
    case Change::kSame: return "SAME";
  }
  return "UNDECIDED";
}

std::string_view glyph(Change change) {
  switch (change) {
    case Change::kNowFails: return "✗";
    case Change::kGone: return "−";
    case Change::kSlower: return "▼";
    case Change::kUndecided: return "?";
    case Change::kNew: return "+";
    case Change::kNowPasses: return "✓";
    case Change::kFaster: return "▲";
    case Change::kSame: return "=";
  }
  return "?";
}

Tone tone(Change change) {
  switch (change) {
    case Change::kNowFails:
    case Change::kGone:
    case Change::kSlower: return Tone::kBad;
    case Change::kUndecided: return Tone::kCaution;
    case Change::kNew:
    case Change::kSame: return Tone::kNeutral;
    case Change::kNowPasses:
    case Change::kFaster: return Tone::kGood;
  }
  return Tone::kCaution;
}

std::string_view help(Change change) {
  switch (change) {
    case Change::kNowFails: return "It was correct before, and is not any more.";
    case Change::kGone:
      return "It had a row before, and has none any more in a run that was asked for it.";
    case Change::kSlower:
      return "Slower than before: no change at all would show like this in fewer than one of 20 "
             "comparisons of runs, all their rows together.";
    case Change::kUndecided: return "The intervals are too wide to say, or there are none.";
    case Change::kNew: return "It had no row before.";
    case Change::kNowPasses: return "It was not correct before, and is now.";
    case Change::kFaster: return "Faster than before, as surely as SLOWER is slower.";
    case Change::kSame:
      return "The whole interval lies within the margin around no change (3 % on a CPU, 1 % on "
             "CUDA), or it fails in both runs.";
  }
  return "";
}

std::string ComparedRow::contestant() const {
  return variant.empty() ? agent : fmt::format("{}@{}", agent, variant);
}

std::optional<double> ComparedRow::longer_by() const {
  if (!ratio) return std::nullopt;
  return std::expm1(-ratio->estimate);
}

int Comparison::count(Change change) const {
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(), [&](const ComparedRow& row) { return row.change == change; }));
}

int Comparison::fails_in_both() const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const ComparedRow& row) {
    return row.change == Change::kSame && !row.ratio;
  }));
}

std::vector<Difference> incomparable(const ReportData& before, const ReportData& after) {
  const RunFacts then = facts_of(before.run);
  const RunFacts now = facts_of(after.run);
  std::vector<Difference> differences;
  look(differences, "device", device_words(then), device_words(now));
  const auto rows = [&](const char* what, auto of) {
    look(differences, what, values(before, of), values(after, of));
  };
  // An older run may not tell its device's name; its rows tell the kind.
  if (differences.empty()) rows("device", [](const Evaluation& e) { return e.device; });
  rows("size", [](const Evaluation& e) { return e.size; });
  rows("precision class", [](const Evaluation& e) { return e.precision; });
  rows("profile", [](const Evaluation& e) { return e.profile; });
  const auto timing = [](const RunFacts& run) { return run.quick ? "--quick" : "without --quick"; };
  look(differences, "timing", timing(then), timing(now));
  rows("protocol", [](const Evaluation& e) { return fmt::format("{}", e.protocol); });
  look(differences, "torch policy", torch_policy(before), torch_policy(after));
  return differences;
}

Comparison compare(const ReportData& before, const ReportData& after, Side baseline) {
  Comparison comparison;
  comparison.before = {before.run, before.tags};
  comparison.after = {after.run, after.tags};
  comparison.baseline = baseline;
  comparison.incomparable = incomparable(before, after);
  pair_up(before, after, comparison);
  judge_ratios(comparison.rows);
  comparison.environment = environment_changes(facts_of(before.run), facts_of(after.run));
  if (auto tasks = changed_tasks(comparison.rows))
    comparison.environment.push_back(std::move(*tasks));
  caution_about(before, "before", comparison.cautions);
  caution_about(after, "after", comparison.cautions);
  worst_first(comparison.rows);
  return comparison;
}

void judge_by_pairs(Comparison& comparison, const std::vector<Evidence>& by_row) {
  constexpr std::size_t kLeastPairs = 2;  // one has no scatter
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    ComparedRow& row = comparison.rows[i];
    if (by_row[i].slowdowns.size() < kLeastPairs) continue;
    row.ratio = change_in_pairs(by_row[i]);
    row.pairs = static_cast<int>(by_row[i].slowdowns.size());
    row.reason.clear();
    row.change = Change::kUndecided;
  }
  judge_ratios(comparison.rows);
  worst_first(comparison.rows);
}

}  // namespace kbench
