#include "reports/facts/model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/file_names.hpp"
#include "reports/facts/next_step.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/without_folders.hpp"
#include "runner/analysis/keep.hpp"
#include "runner/core/json.hpp"
#include "runner/core/labels.hpp"
#include "runner/core/limit_basis.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Timing timing_of(const Evaluation& evaluation, Side side, const std::string& reason) {
  Timing timing;
  timing.median_ns = median_time_ns(evaluation, side);
  timing.mad_ns = mad_time_ns(evaluation.samples, side);
  if (!timing.median_ns) timing.reason = reason.empty() ? "not measured" : reason;
  return timing;
}

std::string submission_reason(const Evaluation& evaluation) {
  if (!evaluation.submission_reason.empty()) return evaluation.submission_reason;
  if (!evaluation.submission) return "no submission";
  return evaluation.state == State::kOk ? "" : std::string(to_string(evaluation.state));
}

SampleCounts count_samples(const std::vector<Sample>& samples) {
  SampleCounts counts;
  std::set<int> blocks;
  std::set<int> placements;
  for (const Sample& sample : samples) {
    ++(sample.dropped ? counts.dropped : counts.kept);
    blocks.insert(sample.block);
    placements.insert(sample.placement);
  }
  counts.blocks = static_cast<int>(blocks.size());
  counts.placements = static_cast<int>(placements.size());
  return counts;
}

// A failed check is worse than a passed one; then come the task's own draws, NaN before numbers,
// and the size.
bool is_worse(const Check& a, const Check& b) {
  const auto rank = [](const Check& check) {
    const bool nan = std::isnan(check.max_error);
    // Among passed ones the task's own draws count: hard ones have errors of another scale.
    const bool own = !check.passed || check.distribution == "task";
    return std::tuple(!check.passed, own, nan, nan ? 0.0 : check.max_error);
  };
  return rank(a) > rank(b);
}

const Check* worst_check(const std::vector<Check>& checks) {
  const Check* worst = nullptr;
  for (const Check& check : checks)
    if (worst == nullptr || is_worse(check, *worst)) worst = &check;
  return worst;
}

void copy_identity(const Evaluation& evaluation, ResultRow& row) {
  row.run_id = evaluation.run_id;
  row.task = evaluation.task;
  row.level = evaluation.level;
  row.size = evaluation.size;
  row.device = evaluation.device;
  row.precision = evaluation.precision;
  row.profile = evaluation.profile;
  row.has_submission = evaluation.submission.has_value();
  if (!evaluation.submission) return;
  row.agent = evaluation.submission->agent;
  row.submission = evaluation.submission->name;
  row.variant = evaluation.submission->variant;
  row.submission_precision = evaluation.submission->precision;
  row.vendor_library = evaluation.submission->vendor_library;
  row.worker_kind = evaluation.worker_kind;
  row.torch_operators = evaluation.torch_operators;
  // A run under `none` claims that no library computed. With this label it is unknown whether that
  // is so.
  const bool claims_none = evaluation.allow_torch == "none";
  row.unobserved = claims_none && has_label(evaluation.labels, "torch_unobserved");
  row.calls_libraries = !row.torch_operators.empty() && evaluation.allow_torch != "all";
  row.allow_torch = evaluation.allow_torch;
  row.sources = evaluation.sources;
  row.tree_hash = evaluation.tree_hash;
}

// The label of a row whose speed-up counts because the operator trusts estimates.
constexpr const char* kTrustedEstimate = "estimate_trusted";

// The device by the oracle's own word, and whether the run was quick.
void read_conditions(ReportData& data) {
  RunFacts facts = facts_of(data.run);
  data.device_name = std::move(facts.device);
  data.quick = facts.quick && facts.timed;
}

// The census is stored with what surrounded the run, and shown apart from it.
void take_out_files(ReportData& data) {
  Json environment = recorded(data.run.environment);
  if (!environment.is_object() || !environment.contains("files")) return;
  const Json& files = environment["files"];
  if (!files.is_null()) data.files = files.dump(-1, ' ', true, Json::error_handler_t::replace);
  environment.erase("files");
  data.run.environment = environment.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// The worse of two findings counts; a shard's says which one it is.
void take_chain(const ChainFinding& finding, ChainFinding& chain, bool& first) {
  const auto badness = [](ChainFinding::State state) {
    switch (state) {
      case ChainFinding::State::kHolds: return 0;
      case ChainFinding::State::kUnchained: return 1;
      case ChainFinding::State::kUnchecked: return 2;
      case ChainFinding::State::kChanged: return 3;
    }
    return 3;
  };
  if (first || badness(finding.state) > badness(chain.state)) chain = finding;
  first = false;
}

Status read_rows(const Store& store, const std::string& run_id, ReportData& data) {
  Result<StoredRun> stored = store.read(run_id);
  if (!stored) return stored.error();
  std::move(stored->evaluations.begin(), stored->evaluations.end(),
            std::back_inserter(data.evaluations));
  data.chain = std::move(stored->chain);
  return Done{};
}

// All shards of the group that `run` is of, as one run; nothing where it is of none.
Status read_group(const Store& store, const Run& run, ReportData& data) {
  if (!shard_of(run)) return Done{};
  const Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  data.group = group_of(run, *runs);
  if (data.group && data.group->shards.empty()) data.group.reset();  // it was removed just now
  if (!data.group) return Done{};
  data.run = data.group->shards.front();
  bool first = true;
  ChainFinding chain;
  std::set<int> finished;  // a shard is, where one of the runs that measured it is
  for (const Run& shard : data.group->shards) {
    data.run.started_at = std::min(data.run.started_at, shard.started_at);
    data.run.finished_at = std::max(data.run.finished_at, shard.finished_at);
    if (!shard.finished_at.empty()) finished.insert(shard_of(shard)->index);
    if (const Status read = read_rows(store, shard.id, data); !read) return read;
    data.chain.message = fmt::format("run {}: {}", short_id(shard), data.chain.message);
    take_chain(data.chain, chain, first);
  }
  if (std::cmp_less(finished.size(), data.group->of)) data.run.finished_at.clear();
  if (chain.state == ChainFinding::State::kHolds)
    chain.message = "the rows of its shards are as they were stored";
  data.chain = std::move(chain);
  return Done{};
}

// Reads all of a report's data besides the run and its rows.
Status read_rest(const Store& store, ReportData& data) {
  for (Evaluation& evaluation : data.evaluations) keep(evaluation);
  Result<LintRows> lint = store.lint_records();
  if (!lint) return lint.error();
  data.lint = std::move(lint->records);
  data.malformed = std::move(lint->malformed);
  Result<std::vector<Tag>> tags = store.tags();
  if (!tags) return tags.error();
  data.tags = tags_of(data.run.id, *tags);
  std::error_code ignored;
  data.database = std::filesystem::absolute(store.file(), ignored).lexically_normal();
  read_conditions(data);
  take_out_files(data);
  return Done{};
}

// Findings that make no sense are named and left out, as a malformed row is.
Status read_findings(const Store& store, ReportData& data) {
  const Result<std::string> text = store.night(data.run.id);
  if (!text) return text.error();
  if (text->empty()) return Done{};
  auto findings = parse_night_findings(*text);
  if (findings)
    data.night = std::move(*findings);
  else
    data.malformed.push_back(
        fmt::format("run {}: {}", short_id(data.run), findings.error().message));
  return Done{};
}

}  // namespace

std::string ResultRow::contestant() const {
  return variant.empty() ? agent : fmt::format("{}@{}", agent, variant);
}

std::string ResultRow::told_apart() const {
  return file.empty() ? contestant() : fmt::format("{} ({})", contestant(), file);
}

std::string ResultRow::ranked_as() const {
  if (calls_libraries) return agent + " (calls libraries)";
  return unobserved ? agent + " (unobserved)" : agent;
}

const std::optional<Speedup>& ResultRow::over(Side side) const {
  if (side == Side::kVendor) return over_vendor;
  return side == Side::kCompiled ? over_compiled : over_eager;
}

const Timing& ResultRow::time_of(Side side) const {
  switch (side) {
    case Side::kEager: return eager;
    case Side::kCompiled: return compiled;
    case Side::kVendor: return vendor;
    case Side::kSubmission: break;
  }
  return submitted;
}

const Speedup* ResultRow::credited(Side side) const {
  const auto& ratio = over(side);
  return counts_as_correct() && credit.uncredited.empty() && ratio ? &*ratio : nullptr;
}

namespace {

// Peaks that are measured in passing are too low beside other programs, and a limit that a baseline
// beats is none. A calibrated one stands: kbench's calibrations were compared with other programs.
std::string why_no_limit(const Evaluation& evaluation, const ResultRow& row) {
  constexpr double kBeaten = 1.1;
  const std::string& basis = evaluation.limit_basis;
  if (!evaluation.limit_ns || basis.empty() || has_calibrated_limits(basis)) return "";
  for (const auto& [side, time] :
       {std::pair{Side::kEager, &row.eager}, std::pair{Side::kCompiled, &row.compiled},
        std::pair{Side::kVendor, &row.vendor}})
    if (time->median_ns && *time->median_ns * kBeaten < *evaluation.limit_ns)
      return fmt::format(
          "not known: {} is faster than the peaks measured beside it allow, as on a busy "
          "machine; `kbench calibrate --only limits`",
          to_string(side));
  return "";
}

// `file`: the submission's, as its author can name it.
void add_hint(const Evaluation& evaluation, const std::string& file, ResultRow& row) {
  row.hint = without_folders(with_names(evaluation.hint, file, evaluation.task));
  if (row.hint.empty() && row.state == State::kCompileError)
    row.hint = step_after_compile_error(row.message);
}

// The row without its hint and its credit.
ResultRow derive_numbers(const Evaluation& evaluation) {
  ResultRow row;
  copy_identity(evaluation, row);
  row.state = evaluation.state;
  row.fault = fault_of(evaluation.state);
  row.correct = evaluation.correct;
  // Messages are as every format shows them: a report is published.
  row.message = without_folders(evaluation.message);

  row.limit_ns = evaluation.limit_ns;
  row.unfused_limit_ns = evaluation.unfused_limit_ns;
  row.limit_basis = evaluation.limit_basis;

  row.eager = timing_of(evaluation, Side::kEager, evaluation.eager_reason);
  row.compiled = timing_of(evaluation, Side::kCompiled, evaluation.compiled_reason);
  row.submitted = timing_of(evaluation, Side::kSubmission, submission_reason(evaluation));
  row.over_eager = speedup(evaluation, Side::kEager, Side::kSubmission);
  row.over_compiled = speedup(evaluation, Side::kCompiled, Side::kSubmission);
  if (evaluation.asked_for_vendor()) {
    row.vendor = timing_of(evaluation, Side::kVendor, evaluation.vendor_reason);
    row.over_vendor = speedup(evaluation, Side::kVendor, Side::kSubmission);
    row.vendor_over_eager = speedup(evaluation, Side::kEager, Side::kVendor);
    if (row.vendor.median_ns)
      row.vendor_algorithm = evaluation.vendor_algorithm;
    else if (row.vendor.reason.empty())
      row.vendor.reason = "nothing of it was timed";
  }
  if (evaluation.calibration) row.calibrated_at = evaluation.calibration->measured_at;
  if (row.submitted.median_ns) {
    const Doubts doubts = doubts_of(evaluation);
    row.no_verdict = doubts.words();
    row.no_verdict_kind = doubts.kinds();
  }
  row.baseline = speedup(evaluation, Side::kEager, Side::kCompiled);

  if (const std::string why = why_no_limit(evaluation, row); !why.empty()) {
    row.limit_ns.reset();
    row.unfused_limit_ns.reset();
    row.limit_basis = why;
  }

  if (const Check* worst = worst_check(evaluation.checks)) {
    row.max_error = worst->max_error;
    row.tolerance = worst->tolerance;
  }
  row.counts = count_samples(evaluation.samples);
  row.prepare_ns = evaluation.prepare_ns;
  row.copy_ns = evaluation.copy_ns;
  row.sandbox_level = evaluation.sandbox_level;
  row.labels = evaluation.labels;
  row.floor_ns = evaluation.floor_ns;
  row.repeats = evaluation.repeats;
  row.protocol = evaluation.protocol;
  row.timed = evaluation.timed;
  row.wall_seconds = evaluation.wall_seconds;
  row.build_seconds = evaluation.build_seconds;
  row.device_uuid = evaluation.device_uuid;
  row.seed = evaluation.seed;
  return row;
}

}  // namespace

std::optional<double> ResultRow::share_of_limit(Side side) const {
  const Timing& time = time_of(side);
  const std::optional<double>& limit = limit_basis.empty() ? floor_ns : limit_ns;
  if (!limit || !(*limit > 0) || !time.median_ns || !(*time.median_ns > 0)) return std::nullopt;
  return *limit / *time.median_ns;
}

ResultRow derive(const Evaluation& evaluation) {
  ResultRow row = derive_numbers(evaluation);
  add_hint(evaluation, row.submission, row);
  // The credit comes from memory, and not from a file that may have been changed.
  row.credit = credit_of(evaluation, nullptr, ChainFinding::State::kHolds, {});
  return row;
}

Result<ReportData> load_report(const Store& store, const std::optional<std::string>& name,
                               Shards shards) {
  ReportData data;
  Result<Run> run = find_run_named(store, name.value_or("latest"));
  if (!run) return run.error();
  if (shards == Shards::kTogether)
    if (const Status read = read_group(store, *run, data); !read) return read.error();
  if (!data.group) {
    data.run = std::move(*run);
    if (const Status read = read_rows(store, data.run.id, data); !read) return read.error();
  }
  if (const Status read = read_rest(store, data); !read) return read.error();
  if (const Status read = read_findings(store, data); !read) return read.error();
  return data;
}

Result<ReportData> row_report(const Store& store, Evaluation evaluation, ChainFinding chain) {
  Result<std::optional<Run>> run = store.find_run(evaluation.run_id);
  if (!run) return run.error();
  if (!*run)
    return Error{
        ErrorCode::kBadInput,
        fmt::format("there is a row of run {}, and no such run", short_id(evaluation.run_id)),
        "`kbench db check` says what else is wrong"};
  ReportData data;
  data.run = std::move(**run);
  data.evaluations.push_back(std::move(evaluation));
  data.chain = std::move(chain);
  if (const Status read = read_rest(store, data); !read) return read.error();
  return data;
}

std::vector<std::string> malformed_rows(const ReportData& data) {
  std::vector<std::string> rows = data.malformed;
  for (const ReportData& other : data.beside)
    for (const std::string& row : other.malformed)
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  return rows;
}

bool is_in_part(const RunGroup& group) { return !group.missing.empty() || !group.left_out.empty(); }

std::vector<std::string> group_sentences(const ReportData& data) {
  if (!data.group) return {};
  const RunGroup& group = *data.group;
  std::vector<std::string> sentences{
      fmt::format("{} of the {} shards of {}",
                  static_cast<std::size_t>(group.of) - group.missing.size(), group.of, group.name)};
  if (!group.missing.empty())
    sentences.push_back(fmt::format("not here: shard {}", fmt::join(group.missing, ", ")));
  for (const std::string& run : group.left_out) sentences.push_back("left out: " + run);
  return sentences;
}

const LintRecord* lint_of(const ReportData& data, const Evaluation& evaluation) {
  const LintRecord* found = nullptr;
  for (const LintRecord& record : data.lint) {
    if (record.task_hash != evaluation.task_hash) continue;
    const bool exact = record.size == evaluation.size && record.device == evaluation.device;
    if (found == nullptr || exact) found = &record;
  }
  return found;
}

ResultRow derive(const ReportData& data, const Evaluation& evaluation) {
  ResultRow row = derive_numbers(evaluation);
  add_hint(evaluation, path_as_typed(run_of(data, row).command_line, row.submission), row);
  // A row of another kind of device was not measured on the run's own device.
  if (row.device == device_of(data)) row.device_name = data.device_name;
  row.chain = to_string(data.chain.state);
  const LintRecord* record = lint_of(data, evaluation);
  row.credit = credit_of(evaluation, record, data.chain.state, data.trust);
  if (row.credit.estimate_trusted)
    row.labels += row.labels.empty() ? kTrustedEstimate : fmt::format(" {}", kTrustedEstimate);
  if (record == nullptr) return row;
  row.lint = summary(*record);
  row.lint_state = record->state;
  return row;
}

const Run& run_of(const ReportData& data, const ResultRow& row) {
  if (data.group)
    for (const Run& shard : data.group->shards)
      if (shard.id == row.run_id) return shard;
  return data.run;
}

std::string unfinished_words(const ReportData& data) {
  if (!data.run.finished_at.empty()) return "";
  const std::size_t rows = data.evaluations.size();
  return fmt::format("The run is not finished: {} row{} there", rows, rows == 1 ? " is" : "s are");
}

std::vector<ResultRow> derive_all(const ReportData& data) {
  std::vector<ResultRow> rows;
  rows.reserve(data.evaluations.size());
  for (const Evaluation& evaluation : data.evaluations) rows.push_back(derive(data, evaluation));
  std::stable_sort(rows.begin(), rows.end(), [](const ResultRow& a, const ResultRow& b) {
    return std::tie(a.task, a.size, a.agent, a.submission) <
           std::tie(b.task, b.size, b.agent, b.submission);
  });
  tell_files_apart(rows);
  return rows;
}

std::string device_of(const ReportData& data) {
  return data.evaluations.empty() ? "" : data.evaluations.front().device;
}

}  // namespace kbench
