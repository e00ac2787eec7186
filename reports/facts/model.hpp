// The data of every report: one run with its evaluations, and the row of derived numbers behind
// each evaluation. Nothing here is stored: a row is a pure function of the raw record, so that a
// better statistic improves old runs as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/credit.hpp"
#include "reports/facts/night_findings.hpp"
#include "reports/facts/trend.hpp"
#include "reports/facts/trust.hpp"
#include "reports/facts/variant_rule.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chain/chain.hpp"
#include "runner/store/run_group.hpp"
#include "runner/trajectory/episode.hpp"

namespace kbench {

class Store;

// The time of one side.
struct Timing {
  std::optional<double> median_ns;  // a call
  std::optional<double> mad_ns;     // median absolute deviation, a call
  std::string reason;               // why there is no median; empty where there is one
};

struct SampleCounts {
  int kept = 0;
  int dropped = 0;
  int blocks = 0;
  int placements = 0;
};

struct ResultRow {
  std::string run_id;  // the run that stored it; of shards, its own
  std::string task;    // "level1/019_relu"
  int level = 0;
  std::string size;
  std::string device;       // "cpu" or "cuda"
  std::string device_name;  // "NVIDIA H200"; empty where not recorded
  std::string precision;    // precision class of the baselines
  std::string profile;      // judging profile: its rule and its inputs
  bool has_submission = false;
  std::string agent;       // this and the next three: empty without a submission
  std::string submission;  // path below the submissions folder
  std::string variant;
  // Ending of the file, ".py", where its agent has handed in another one for the task as well; the
  // file's name where endings do not tell them apart; else empty (reports/facts/file_names.hpp).
  std::string file;
  std::string submission_precision;
  bool vendor_library = false;
  std::string worker_kind;  // "native", "python"
  // "aten::relu 1, numpy (97 % of the time)": what a Python submission was seen to compute with.
  std::string torch_operators;
  bool calls_libraries = false;  // torch_operators say so; the run does not allow all
  bool unobserved = false;       // its calls were not seen; the run allows none
  [[nodiscard]] bool ranked_apart() const { return calls_libraries || unobserved; }
  std::string allow_torch;        // Python submission: use that its run allowed; else empty
  std::vector<TreeFile> sources;  // compiled files; none where they were not kept
  std::string tree_hash;          // hash of these files

  State state = State::kInfrastructureError;
  Fault fault = Fault::kInfrastructure;
  std::optional<bool> correct;  // empty if not judged
  std::string message;
  std::string hint;

  Timing eager;
  Timing compiled;
  Timing submitted;
  Timing vendor;                             // neither reason nor time: not requested
  std::string vendor_algorithm;              // empty without a time
  std::optional<Speedup> over_eager;         // eager / submission
  std::optional<Speedup> over_compiled;      // compiled / submission
  std::optional<Speedup> baseline;           // eager / compiled
  std::optional<Speedup> over_vendor;        // vendor / submission
  std::optional<Speedup> vendor_over_eager;  // eager / vendor
  [[nodiscard]] bool asked_for_vendor() const {
    return vendor.median_ns.has_value() || !vendor.reason.empty();
  }

  // The largest error of the worst check: a failed check is worse than a passed one, then the error
  // counts. NaN is possible.
  std::optional<double> max_error;
  std::optional<double> tolerance;

  // The state of `kbench tasks lint` for the task: "passed", "failed: zeros"; empty: not linted.
  std::string lint;
  std::optional<LintState> lint_state;

  bool timed = true;  // no: checked only, and never ranked
  Credit credit;      // whether it counts in scores, and its speed-up

  SampleCounts counts;
  std::optional<std::int64_t> prepare_ns;
  std::optional<std::int64_t> copy_ns;  // copying of a Python submission's outputs; not in its time
  std::string sandbox_level;
  std::string labels;
  std::string calibrated_at;    // UTC; empty without a calibration
  std::string no_verdict;       // why speed-ups have none; empty where they have one
  std::string no_verdict_kind;  // the same without its numbers: rows are counted by it
  std::optional<double> floor_ns;
  std::optional<double> limit_ns;
  std::optional<double> unfused_limit_ns;
  std::string limit_basis;  // Evaluation::limit_basis
  int repeats = 0;
  int protocol = 1;
  double wall_seconds = 0;
  std::optional<double> build_seconds;  // building of the submission; empty where not recorded
  std::string device_uuid;              // Evaluation::device_uuid
  std::string seed;                     // Evaluation::seed; empty where nothing was drawn
  std::string chain;  // its run's chain, to_string(ChainFinding::State); empty of a row alone

  // "agent" or "agent@variant"; empty without a submission.
  [[nodiscard]] std::string contestant() const;
  // The same with `file` behind it: "agent (.py)".
  [[nodiscard]] std::string told_apart() const;
  // The contestant that the row counts for: rows that are ranked apart have one of their own.
  [[nodiscard]] std::string ranked_as() const;
  // The limit (rows from before: the floor) over a side's time; empty where either is
  // unknown.
  [[nodiscard]] std::optional<double> share_of_limit(Side side) const;
  [[nodiscard]] bool ranked() const { return credit.unranked.empty(); }
  // True if the submission ran to the end, and every output was within its tolerance.
  [[nodiscard]] bool judged_correct() const { return state == State::kOk && correct == true; }
  // True if scores count the row as solved, given that its task is ranked: it is correct, and took
  // as long as the device needs.
  [[nodiscard]] bool counts_as_correct() const { return judged_correct() && !credit.below_floor; }
  // The speed-up that counts; null where there is none, or none that does.
  [[nodiscard]] const Speedup* credited(Side side) const;
  // A baseline over the submission, whether or not it counts.
  [[nodiscard]] const std::optional<Speedup>& over(Side side) const;
  [[nodiscard]] const Timing& time_of(Side side) const;
};

[[nodiscard]] ResultRow derive(const Evaluation& evaluation);

// Words of a page's publisher: foreign text like all other.
struct PageWords {
  std::string title;  // title of the page and of its headline; empty: made from the run
  std::string about;  // Markdown, shown as text with paragraphs and links that are spelled out
};

struct ReportData {
  Run run;
  std::vector<Evaluation> evaluations;  // order: as they finished
  std::vector<LintRecord> lint;         // records of any task content, size and device
  std::vector<std::string> malformed;   // rows of the database that were left out, foreign text
  std::vector<std::string> tags;        // tags of the run, by name
  ChainFinding chain;                   // whether the rows are those that were stored
  // "NVIDIA H200", or the CPU's model name; empty where not recorded.
  std::string device_name;
  bool quick = false;       // timed in eight blocks of one session only
  std::vector<int> levels;  // levels that are shown (reports/facts/levels.hpp); none: all
  // Census of the submissions folder, JSON (file_census.hpp); empty where none was taken.
  std::string files;
  VariantRule variants = VariantRule::kBest;  // rule by which scores are made
  Trust trust;                                // rows that count although they cannot be checked
  std::optional<RewardRule> reward;           // a field more of each row, in json and jsonl
  // Data that only the page shows, filled by its writer: the kinds of each task's operators
  // (runner/task/family.hpp), and earlier runs of the device.
  std::map<std::string, std::vector<std::string>> families;
  std::optional<Trend> trend;
  // Likewise: what submissions and tasks are made of, by hash: the smallest first, up to
  // kMostShownSources.
  std::map<std::string, std::string> contents;
  std::vector<StoredEpisode> episodes;  // the run's episodes, the oldest first
  std::filesystem::path database;       // database that the data were read from, absolute
  // The group of shards whose rows these are; `run` is then the first of them, from the first one's
  // beginning to the last one's end.
  std::optional<RunGroup> group;
  std::optional<std::vector<NightFinding>> night;  // none unless a night has looked at the run
  PageWords words;                                 // only the page shows them
  // Other runs that the page shows beside this one, each on tabs of its own: nothing is ranked
  // across. None of them has any.
  std::vector<ReportData> beside;
};

// Bytes of sources that a report carries, and of what was said in episodes.
inline constexpr std::size_t kMostShownSources = 4u << 20;
inline constexpr std::size_t kMostShownTexts = 4u << 20;

// Whether a shard is reported with all others of its group (store/run_group.hpp), as one run.
enum class Shards { kTogether, kApart };

// The run of that name (store/run_name.hpp), or the newest one. Errors: no such run, no run at all,
// and those of the store.
[[nodiscard]] Result<ReportData> load_report(const Store& store,
                                             const std::optional<std::string>& name = {},
                                             Shards shards = Shards::kTogether);

// A report of one row that was read before, of whichever run, with what its link says of it.
[[nodiscard]] Result<ReportData> row_report(const Store& store, Evaluation evaluation,
                                            ChainFinding chain);

// Notes about the shards of a report, a sentence each; none for a run without shards.
[[nodiscard]] std::vector<std::string> group_sentences(const ReportData& data);
// Whether rows of it may be missing, or a run was left out.
[[nodiscard]] bool is_in_part(const RunGroup& group);

// Rows that were left out of the run's data and of those beside it, each once.
[[nodiscard]] std::vector<std::string> malformed_rows(const ReportData& data);

// The lint record of the very content that was evaluated; one of the same size and device before
// any other. Null if there is none.
[[nodiscard]] const LintRecord* lint_of(const ReportData& data, const Evaluation& evaluation);

// A row with what lint found about its task.
[[nodiscard]] ResultRow derive(const ReportData& data, const Evaluation& evaluation);

// One row for each evaluation, sorted by task, size, agent, submission.
[[nodiscard]] std::vector<ResultRow> derive_all(const ReportData& data);

// "cpu" or "cuda" as the evaluations say it; empty for a run without any.
[[nodiscard]] std::string device_of(const ReportData& data);
// The run that stored the row: a shard where `data` is of several.
[[nodiscard]] const Run& run_of(const ReportData& data, const ResultRow& row);
// "The run is not finished: 1 row is there"; empty where it is.
[[nodiscard]] std::string unfinished_words(const ReportData& data);

}  // namespace kbench
