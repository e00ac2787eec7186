// A night's run held against the last good ones: which rows are suspected of having become slower
// or of failing now, and what measuring them again has said. The rule is analysis/nightly.hpp's;
// here are the runs and rows that it is applied to. Pure.
//
// Nothing of this is stored: whether a run is good is asked of its rows each night, and what was
// measured again are ordinary rows of a database of their own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "reports/facts/model.hpp"
#include "runner/analysis/nightly.hpp"

namespace kbench {

// Task, agent, variant.
using RowKey = std::tuple<std::string, std::string, std::string>;

// The parts of a row that a reference needs.
struct GoodRow {
  bool correct = false;
  std::optional<double> log_speedup;  // none unless it is correct and was timed
  SubmissionId submission;
  std::string task_hash;
};
struct GoodRun {
  Run run;
  std::map<RowKey, GoodRow> rows;
};

// Why a run is no reference for tonight's; empty where it is one. It must be finished, without a
// fault of ours or the machine's, its rows must be those that were stored, and it must have been
// measured alike (compare.hpp): device, size, precision class, profile, protocol, quick or
// not, and --allow-torch of Python submissions.
[[nodiscard]] std::string why_not_good(const ReportData& run, const ReportData& tonight);

[[nodiscard]] GoodRun good_run(const ReportData& run, Side baseline);

// Whether each timed row of tonight has a full reference in these runs: no older one is needed.
[[nodiscard]] bool is_full_reference(const ReportData& tonight, const std::vector<GoodRun>& good);

struct Suspect {
  enum class Why { kSlower, kFails };
  Why why = Why::kSlower;
  RowKey key;
  ResultRow tonight;
  SubmissionId submission;  // tonight's
  Reference reference;      // reference that was missed; kSlower only
  double longer_by = 0;     // tonight than the reference, relative; of kSlower
  // The newest good run that was no slower than the reference, and its source.
  Run good_run;
  SubmissionId good;

  // The members below are findings of measuring again.
  Evidence evidence;
  bool failed_again = false;  // kFails: the second try failed, too
  Clearance clearance = Clearance::kOpen;
  std::string remark;  // why the good source was not measured beside it; or why nothing was

  // kFails before anything was compiled: there is no source to measure again.
  [[nodiscard]] bool cannot_be_read() const {
    return why == Why::kFails && submission.source_hash.empty();
  }
  [[nodiscard]] bool same_source() const {
    return submission.source_hash == good.source_hash && !good.source_hash.empty();
  }
};

struct Night {
  Run run;
  std::vector<Run> good_runs;           // runs that make the references, newest first
  std::map<std::string, int> not_good;  // why others were left out, and how many
  int compared = 0;                     // rows with a reference, or that were good and fail
  int without_reference = 0;            // correct, and in no good run
  int faults = 0;                       // rows that ended by our own fault or the machine's
  int failing = 0;                      // failures by their own fault, none suspected
  std::vector<RowKey> gone;             // rows of the newest good run that tonight's has not
  std::vector<Suspect> suspects;        // sorted by task, agent, variant

  [[nodiscard]] int count(Clearance clearance) const;
};

// `good` is newest first. A row's reference are its last five values for the same task file.
// kFails: it fails tonight by its own fault, and was correct in most of its last five good runs.
[[nodiscard]] Night look_at_night(const ReportData& tonight, const std::vector<GoodRun>& good,
                                  Side baseline, const NightlyRule& rule);

// "takes 5.1 % longer than the last good runs (± 0.2 %, 3 pairs with the source of run 0123…)".
[[nodiscard]] std::string finding_words(const Suspect& suspect);

// The findings that reports of the run show.
[[nodiscard]] std::vector<NightFinding> findings_of(const Night& night);

}  // namespace kbench
