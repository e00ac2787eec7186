#include "reports/over_time/nightly.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/formats/run_list.hpp"
#include "reports/over_time/compare.hpp"

namespace kbench {
namespace {

RowKey key_of(const Evaluation& evaluation) {
  return {evaluation.task, evaluation.submission->agent, evaluation.submission->variant};
}

// The last evaluation of a key stands for it; rows of nobody, or for another device, for none.
std::map<RowKey, const Evaluation*> standing_of(const ReportData& data) {
  std::map<RowKey, const Evaluation*> standing;
  for (const Evaluation& evaluation : data.evaluations)
    if (evaluation.submission && evaluation.state != State::kSkipped)
      standing[key_of(evaluation)] = &evaluation;
  return standing;
}

bool is_fault_of_ours(const Evaluation& evaluation) {
  return fault_of(evaluation.state) == Fault::kInfrastructure &&
         evaluation.state != State::kDoesNotFit;
}

bool is_correct(const Evaluation& evaluation) {
  return evaluation.state == State::kOk && evaluation.correct == true;
}

std::optional<double> log_speedup_of(const Evaluation& evaluation, Side baseline) {
  if (!is_correct(evaluation)) return std::nullopt;
  const auto ratio = speedup(evaluation, baseline, Side::kSubmission);
  if (!ratio || !(ratio->estimate > 0)) return std::nullopt;
  return std::log(ratio->estimate);
}

// The last five rows of a submission, newest first.
struct Past {
  struct One {
    const Run* run;
    const GoodRow* row;
  };
  std::vector<One> rows;

  [[nodiscard]] std::size_t correct() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const One& one) { return one.row->correct; }));
  }
};

Past past_of(const Evaluation& evaluation, const std::vector<GoodRun>& good) {
  Past past;
  for (const GoodRun& run : good) {
    if (past.rows.size() == kReferenceRuns) break;
    const auto row = run.rows.find(key_of(evaluation));
    if (row == run.rows.end() || row->second.task_hash != evaluation.task_hash) continue;
    past.rows.push_back({&run.run, &row->second});
  }
  return past;
}

// Values of their own: a row that failed in between has none.
struct Timed {
  Reference reference;
  std::vector<Past::One> rows;
};

Timed timed_past(const Evaluation& evaluation, const std::vector<GoodRun>& good) {
  Timed timed;
  for (const GoodRun& run : good) {
    if (timed.rows.size() == kReferenceRuns) break;
    const auto row = run.rows.find(key_of(evaluation));
    if (row == run.rows.end() || row->second.task_hash != evaluation.task_hash) continue;
    if (!row->second.log_speedup) continue;
    timed.reference.values.push_back(*row->second.log_speedup);
    timed.rows.push_back({&run.run, &row->second});
  }
  return timed;
}

Suspect suspect_of(const ReportData& tonight, const Evaluation& evaluation, Suspect::Why why) {
  Suspect suspect;
  suspect.why = why;
  suspect.key = key_of(evaluation);
  suspect.tonight = derive(tonight, evaluation);
  suspect.submission = *evaluation.submission;
  suspect.evidence.between_runs = spread_of(evaluation).between_runs;
  return suspect;
}

void remember_good(Suspect& suspect, const Past::One& one) {
  suspect.good_run = *one.run;
  suspect.good = one.row->submission;
}

std::optional<Suspect> suspect_slower(const ReportData& tonight, const Evaluation& evaluation,
                                      double value, const Timed& past, const NightlyRule& rule) {
  if (!looks_slower(past.reference, value, rule)) return std::nullopt;
  Suspect suspect = suspect_of(tonight, evaluation, Suspect::Why::kSlower);
  suspect.reference = past.reference;
  suspect.longer_by = std::expm1(slowdown(past.reference, value));
  // The good row is one at the median or above it: a slower source that has been there for a night
  // or two lies below.
  const double level = past.reference.level();
  const auto good = std::find_if(past.rows.begin(), past.rows.end(), [&](const Past::One& one) {
    return *one.row->log_speedup >= level;
  });
  remember_good(suspect, *good);  // no value lies below the median of all
  return suspect;
}

std::optional<Suspect> suspect_failing(const ReportData& tonight, const Evaluation& evaluation,
                                       const std::vector<GoodRun>& good) {
  const Past past = past_of(evaluation, good);
  if (2 * past.correct() <= past.rows.size()) return std::nullopt;
  Suspect suspect = suspect_of(tonight, evaluation, Suspect::Why::kFails);
  remember_good(suspect, *std::find_if(past.rows.begin(), past.rows.end(),
                                       [](const Past::One& one) { return one.row->correct; }));
  return suspect;
}

std::string verdict_words(Clearance clearance) {
  switch (clearance) {
    case Clearance::kConfirmed: return "confirmed";
    case Clearance::kCleared: return "cleared";
    case Clearance::kUnclear:
    case Clearance::kOpen: return "unclear";
  }
  return "unclear";
}

// "+12.3 %"; from twice as long on the factor, which is easier to read.
std::string change_words(double factor) {
  constexpr double kFarLonger = 2;
  return factor < kFarLonger ? fmt::format("{:+.1f} %", 100 * (factor - 1))
                             : fmt::format("{:.3g} times as long", factor);
}

std::string measured_words(const Suspect& suspect) {
  const Evidence& evidence = suspect.evidence;
  const std::size_t times = evidence.slowdowns.size();
  if (times == 0) return "not measured again";
  const std::string mean =
      fmt::format("{}{}", change_words(std::exp(mean_slowdown(evidence))),
                  times < 2 ? "" : fmt::format(" ± {:.1f} %", 100 * mean_half_width(evidence)));
  if (evidence.alone.values.empty())
    return fmt::format("measured again: {} in {} pair{} with the source of {}", mean, times,
                       times == 1 ? "" : "s", short_id(suspect.good_run));
  return fmt::format("measured again: {} in {} measurement{} of tonight's source", mean, times,
                     times == 1 ? "" : "s");
}

}  // namespace

std::string why_not_good(const ReportData& run, const ReportData& tonight) {
  if (run.run.finished_at.empty()) return "not finished";
  if (run.chain.state == ChainFinding::State::kChanged) return "rows changed since";
  const bool can_hold = tonight.chain.state == ChainFinding::State::kHolds;
  if (can_hold && run.chain.state != ChainFinding::State::kHolds) return "rows not chained here";
  if (std::any_of(run.evaluations.begin(), run.evaluations.end(), is_fault_of_ours))
    return "kbench's or the machine's fault in it";
  const auto differences = incomparable(run, tonight);
  return differences.empty() ? "" : fmt::format("another {}", differences.front().what);
}

GoodRun good_run(const ReportData& run, Side baseline) {
  GoodRun good{run.run, {}};
  for (const auto& [key, evaluation] : standing_of(run))
    good.rows[key] = {is_correct(*evaluation), log_speedup_of(*evaluation, baseline),
                      *evaluation->submission, evaluation->task_hash};
  return good;
}

bool is_full_reference(const ReportData& tonight, const std::vector<GoodRun>& good) {
  const auto rows = standing_of(tonight);
  return std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
    return timed_past(*row.second, good).rows.size() == kReferenceRuns;
  });
}

int Night::count(Clearance clearance) const {
  return static_cast<int>(std::count_if(suspects.begin(), suspects.end(), [&](const Suspect& one) {
    return one.clearance == clearance;
  }));
}

Night look_at_night(const ReportData& tonight, const std::vector<GoodRun>& good, Side baseline,
                    const NightlyRule& rule) {
  Night night;
  night.run = tonight.run;
  for (const GoodRun& run : good) night.good_runs.push_back(run.run);
  const auto rows = standing_of(tonight);
  for (const auto& [key, evaluation] : rows) {
    if (is_fault_of_ours(*evaluation)) {
      ++night.faults;
      continue;
    }
    const auto value = log_speedup_of(*evaluation, baseline);
    std::optional<Suspect> suspect;
    if (value) {
      const Timed past = timed_past(*evaluation, good);
      past.rows.empty() ? ++night.without_reference : ++night.compared;
      if (!past.rows.empty()) suspect = suspect_slower(tonight, *evaluation, *value, past, rule);
    } else if (!is_correct(*evaluation)) {
      suspect = suspect_failing(tonight, *evaluation, good);
      if (suspect) ++night.compared;
      if (!suspect && fault_of(evaluation->state) == Fault::kSubmission) ++night.failing;
    }
    if (suspect) night.suspects.push_back(std::move(*suspect));
  }
  // Rows without any submission may fail through us as well.
  for (const Evaluation& evaluation : tonight.evaluations)
    if (!evaluation.submission && is_fault_of_ours(evaluation)) ++night.faults;
  if (!good.empty())
    for (const auto& [key, row] : good.front().rows)
      if (!rows.contains(key)) night.gone.push_back(key);
  return night;
}

std::string finding_words(const Suspect& suspect) {
  std::string words;
  if (suspect.why == Suspect::Why::kFails) {
    const std::string state =
        suspect.tonight.state == State::kOk ? "not correct" : kbench::words(suspect.tonight.state);
    words = fmt::format(
        "was correct in {} and fails tonight ({}), {}", short_id(suspect.good_run), state,
        suspect.cannot_be_read()                     ? "which needs no second try"
        : suspect.clearance == Clearance::kConfirmed ? "twice in a row"
        : suspect.clearance == Clearance::kCleared   ? "but not when tried again"
        : suspect.clearance == Clearance::kUnclear   ? "and was not judged when tried again"
                                                     : "not tried again");
  } else {
    const std::size_t runs = suspect.reference.values.size();
    words = fmt::format("took {:.1f} % longer than the last {}; {}", 100 * suspect.longer_by,
                        runs == 1 ? "good run" : fmt::format("{} good runs", runs),
                        measured_words(suspect));
  }
  if (suspect.same_source()) words += "; its source is the same";
  if (!suspect.remark.empty()) words += "; " + suspect.remark;
  const std::size_t alone = suspect.evidence.alone.values.size();
  if (suspect.clearance == Clearance::kUnclear && alone > 0 && alone < kReferenceRuns)
    words +=
        fmt::format("; measured alone, it takes {} good runs to confirm anything, and there {} {}",
                    kReferenceRuns, alone == 1 ? "is" : "are", alone);
  return words;
}

std::vector<NightFinding> findings_of(const Night& night) {
  std::vector<NightFinding> findings;
  for (const Suspect& suspect : night.suspects) {
    const auto& [task, agent, variant] = suspect.key;
    findings.push_back({task, agent, variant, verdict_words(suspect.clearance),
                        suspect.clearance == Clearance::kConfirmed, finding_words(suspect)});
  }
  return findings;
}

}  // namespace kbench
