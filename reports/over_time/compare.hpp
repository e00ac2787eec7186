// Two runs beside each other: what became of each submission. Pure.
//
// The scale of a row is the ratio of its two speed-ups over the same baseline, so that a machine
// that is slower as a whole cancels; its interval is analysis/change.hpp's. What may be compared at
// all is decided by incomparable(), what else changed around the kernels is named by compare().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/facts/fields.hpp"
#include "reports/facts/model.hpp"
#include "reports/facts/run_facts.hpp"
#include "runner/analysis/change.hpp"
#include "runner/analysis/nightly.hpp"

namespace kbench {

inline constexpr double kLevelOfDoubt = 0.05;  // most corrected p of a SLOWER or FASTER row
inline constexpr int kMostComparedPairs = 99;  // pairs that --remeasure may measure

// Kinds of change, worst first, which is the order of the table.
enum class Change {
  kNowFails,   // was correct, and is not any more
  kGone,       // has no row any more, in a run that was asked for it
  kSlower,     // surely so: the corrected p-value of no change is at most 0.05
  kUndecided,  // the intervals are too wide to say, or there is none: then `reason` says why
  kNew,        // had no row before
  kNowPasses,  // was not correct, and is now
  kFaster,     // surely so, by the rule of kSlower
  kSame,       // the interval lies within the device's margin around no change; or fails in both
};
[[nodiscard]] std::string_view to_string(Change change);  // "NOW FAILS"
[[nodiscard]] std::string_view glyph(Change change);
[[nodiscard]] Tone tone(Change change);
[[nodiscard]] std::string_view help(Change change);

// One submission, named by task, agent and variant; the last evaluation of a run that could be read
// stands for it. Rows for another device count as none.
struct ComparedRow {
  std::string task;
  std::string agent;
  std::string variant;
  std::optional<ResultRow> before;
  std::optional<ResultRow> after;
  Change change = Change::kUndecided;
  std::string reason;  // why there is no ratio, or no verdict; empty where there are both
  std::optional<LogChange> ratio;     // none unless it passes and is timed in both
  std::optional<double> corrected_p;  // p after Holm, over all rows judged by their ratio
  bool same_source = false;           // nothing of the submission changed
  bool same_task = true;              // nothing of the task file changed
  int pairs = 0;                      // the ratio is of so many pairs, not of the two runs
  std::optional<SubmissionId> submission_before;
  std::optional<SubmissionId> submission_after;

  [[nodiscard]] std::string contestant() const;  // "agent" or "agent@variant"
  // How much longer it takes than before, on the common scale: 0.05 is 5 % longer; negative:
  // shorter. Empty without a ratio.
  [[nodiscard]] std::optional<double> longer_by() const;
};

struct ComparedRun {
  Run run;
  std::vector<std::string> tags;
};

struct Comparison {
  ComparedRun before;
  ComparedRun after;
  Side baseline = Side::kEager;
  std::vector<Difference> incomparable;  // not empty: the user insisted
  std::vector<Difference> environment;
  std::vector<std::string> cautions;  // whole sentences
  std::vector<ComparedRow> rows;      // worst first
  // Submissions of one run that the other one was not asked for (selection.hpp): they have no row.
  int left_out_before = 0;
  int left_out_after = 0;

  [[nodiscard]] int count(Change change) const;
  [[nodiscard]] int fails_in_both() const;  // kSame rows that fail
};

// Differences that keep two runs from being compared: device, size, precision class, profile, quick
// against full, protocol, and where both have Python submissions what these may use torch for.
// Empty: they may be.
[[nodiscard]] std::vector<Difference> incomparable(const ReportData& before,
                                                   const ReportData& after);

// Compares speed-ups over `baseline`, which is not the submission. Rows without any submission are
// left out, and what only one of the runs was asked for.
[[nodiscard]] Comparison compare(const ReportData& before, const ReportData& after, Side baseline);

// Takes the pairs that were measured after both runs: for each row that has any, by how much longer
// the later source took each time (analysis/nightly.hpp). Their ratios are replaced, and all rows
// judged anew.
void judge_by_pairs(Comparison& comparison, const std::vector<Evidence>& by_row);

}  // namespace kbench
