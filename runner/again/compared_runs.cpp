#include "runner/again/compared_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/run_facts.hpp"
#include "reports/over_time/compare_report.hpp"
#include "runner/again/remeasure.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

bool is_comparable(const RunFacts& facts, const RunFacts& with) {
  return facts.timed && same_device(facts, with);
}

// A run that was only checked has nothing to compare, --force or not.
Status check_timed(const Run& run) {
  if (facts_of(run).timed) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("nothing was timed in run {} (--checks-only)", short_id(run)),
               "`kbench runs` lists the others; `kbench report table` shows this one."};
}

// The error for a run that there is not, where some there were only checked: those have no times,
// and whoever made them looks for them.
Error with_checked_runs(const Store& store, Error error, const std::optional<RunFacts>& device) {
  const auto runs = store.runs();
  if (!runs || error.code != ErrorCode::kNotFound) return error;
  const auto checked = std::count_if(runs->begin(), runs->end(), [&](const Run& run) {
    const RunFacts facts = facts_of(run);
    return !facts.timed && (!device || same_device(facts, *device));
  });
  if (checked == 0) return error;
  error.message += fmt::format("; {} there {} no times because of --checks-only",
                               checked == 1 ? "1 run" : fmt::format("{} runs", checked),
                               checked == 1 ? "has" : "have");
  error.hint =
      "make a run with times: `kbench run FILE` without --checks-only, and once more after "
      "the next change; then `kbench compare`";
  return error;
}

// A run that was ended before its first row has nothing to compare. Of a database that cannot tell,
// whoever reads its rows tells the error.
bool has_rows(const Store& store, const Run& run) {
  const auto rows = store.row_count(run.id);
  return !rows || *rows > 0;
}

// The newest run that timed something, or so many before it; any run of another name.
Result<Run> timed_run(const Store& store, const std::string& name) {
  auto run = find_run_named(
      store, name, [&](const Run& one) { return facts_of(one).timed && has_rows(store, one); });
  if (run || run.error().code != ErrorCode::kNotFound || !steps_before_latest(name)) return run;
  const auto all = store.runs();
  if (!all || all->empty()) return run;
  return with_checked_runs(
      store,
      {run.error().code, fmt::format("there is no run \"{}\" with times", name), run.error().hint},
      {});
}

bool is_one_file(const Run& run) { return !facts_of(run).submitted_file.empty(); }

// Whether a row is correct, by task and agent; of several, any.
using Submitted = std::map<std::pair<std::string, std::string>, bool>;

Result<Submitted> submitted_in(const Store& store, const Run& run) {
  const auto rows = store.evaluations(run.id);
  if (!rows) return rows.error();
  Submitted submitted;
  for (const Evaluation& row : *rows)
    if (row.submission) submitted[{row.task, row.submission->agent}] |= row.state == State::kOk;
  return submitted;
}

enum class InCommon { kNothing, kFailed, kCorrect };

// Submissions of `now` in an earlier run: between the tries of one file there may be those of
// others, which have nothing to do with it.
Result<InCommon> find_in_common(const Store& store, const Run& before, const Submitted& now) {
  const auto then = submitted_in(store, before);
  if (!then) return then.error();
  InCommon common = InCommon::kNothing;
  for (const auto& [submission, is_correct] : *then)
    if (now.contains(submission))
      common = std::max(common, is_correct ? InCommon::kCorrect : InCommon::kFailed);
  return common;
}

// The run before `after` on its device. A correct submission in common counts for most, since a
// time is compared with the last one that there is; then a submission in common; then any run.
Result<Run> run_before(const Store& store, const Run& after) {
  auto runs = store.runs();  // newest first
  if (!runs) return runs.error();
  const RunFacts facts = facts_of(after);
  auto it =
      std::find_if(runs->begin(), runs->end(), [&](const Run& run) { return run.id == after.id; });
  const std::string group = group_key(after);
  const auto is_a_shard_beside = [&](const Run& run) {
    return !group.empty() && group_key(run) == group;
  };
  std::optional<Submitted> now;  // submissions of `after`, where they are asked for
  const Run* last = nullptr;
  InCommon of_last = InCommon::kNothing;
  while (it != runs->end() && ++it != runs->end()) {
    if (!is_comparable(facts_of(*it), facts) || is_a_shard_beside(*it) || !has_rows(store, *it))
      continue;
    // Runs of folders are taken as they are.
    if (!is_one_file(*it) && !is_one_file(after)) return std::move(*it);
    if (!now) {
      auto submitted = submitted_in(store, after);
      if (!submitted) return submitted.error();
      now = std::move(*submitted);
    }
    const auto common = find_in_common(store, *it, *now);
    if (!common) return common.error();
    if (*common == InCommon::kCorrect) return std::move(*it);
    if (last != nullptr && *common <= of_last) continue;
    last = &*it;
    of_last = *common;
  }
  if (last != nullptr) return *last;
  const std::string device = device_words(facts);
  return Error{ErrorCode::kNotFound,
               fmt::format("there is no run before {} on its device{}{}", short_id(after),
                           device.empty() ? "" : ", ", device),
               "`kbench runs` lists them; two are compared as `kbench compare BEFORE AFTER`"};
}

// Rows that are correct in both runs, and whose two sources are to be had.
struct Measurable {
  std::vector<SourcePair> pairs;
  std::vector<std::size_t> rows;  // row of each pair
  std::string missing;            // why the first of the others is not among them
  int without = 0;
};

Measurable measurable_rows(const Comparison& comparison, const PairedMeasuring& how,
                           SourcesOfRuns& sources) {
  Measurable found;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    const bool timed = row.before && row.after && row.before->counts_as_correct() &&
                       row.after->counts_as_correct();
    if (!timed || row.same_source) continue;
    auto before = sources.of(comparison.before.run, how.submissions_before)
                      .find(row.task, *row.submission_before);
    auto after = sources.of(comparison.after.run, how.submissions_after)
                     .find(row.task, *row.submission_after);
    if (before && after) {
      found.rows.push_back(i);
      found.pairs.push_back({row.task, std::move(*before), std::move(*after)});
      continue;
    }
    if (++found.without == 1) found.missing = (before ? after : before).error().message;
  }
  return found;
}

}  // namespace

Result<ComparedRuns> find_compared(const Store& store,
                                   const std::optional<std::string>& before_name,
                                   const std::string& after_name) {
  const auto after = timed_run(store, after_name);
  if (!after) return after.error();
  const RunFacts facts = facts_of(*after);
  const auto can_be_before = [&](const Run& run) {
    return is_comparable(facts_of(run), facts) && has_rows(store, run);
  };
  const auto before =
      before_name ? find_run_named(store, *before_name, can_be_before) : run_before(store, *after);
  const bool is_named = before_name && !steps_before_latest(*before_name);
  if (!before) return is_named ? before.error() : with_checked_runs(store, before.error(), facts);
  if (before->id == after->id) {
    return Error{ErrorCode::kUsage,
                 fmt::format("both names are the run {}, which is no different from itself",
                             short_id(*after)),
                 "`kbench runs` lists the others; `kbench compare` alone takes the two newest."};
  }
  auto then = load_report(store, before->id);
  if (!then) return then.error();
  auto now = load_report(store, after->id);
  if (!now) return now.error();
  if (then->group && now->group && then->run.id == now->run.id) {
    return Error{ErrorCode::kUsage,
                 fmt::format("both names are shards of \"{}\", which is compared as a whole",
                             clean_name(now->group->name, 64)),
                 "`kbench runs` lists the others."};
  }
  for (const Run& run : {*before, *after})
    if (auto timed = check_timed(run); !timed) return timed.error();
  return ComparedRuns{std::move(*then), std::move(*now)};
}

Error refusal(const ComparedRuns& runs, const std::vector<Difference>& differences) {
  return {
      ErrorCode::kUsage,
      fmt::format("the runs {} and {} cannot be compared, because these differ:\n{}",
                  short_id(runs.before.run), short_id(runs.after.run),
                  difference_lines(differences)),
      "Measure one of them again with the options of the other, or name others (`kbench runs`); "
      "--force compares these all the same, and says so."};
}

Status remeasure(Comparison& comparison, const PairedMeasuring& how, BenchSource& benches,
                 RunSink& sink, const std::function<void(const std::string&)>& note) {
  SourcesOfRuns sources(benches.installation(), how.database);
  const Measurable found = measurable_rows(comparison, how, sources);
  if (found.without > 0)
    comparison.cautions.push_back(fmt::format("{} row{} not measured again: {}", found.without,
                                              found.without == 1 ? " was" : "s were",
                                              found.missing));
  if (found.pairs.empty()) {
    comparison.cautions.emplace_back(
        "nothing was measured again: no row with another source is correct in both runs");
    return Done{};
  }
  // Pairs are measured as that run measured: device, size, precision class, profile, suite, quick
  // or not.
  Remeasurement again(comparison.after.run, with_choices_of({}, comparison.after.run), benches,
                      sink, {.database = remeasured_database(how.database)},
                      "kbench compare --remeasure");
  std::vector<Evidence> by_row(comparison.rows.size());
  for (int pair = 1; pair <= how.pairs; ++pair) {
    note(fmt::format("pair {} of {}: {} submission{}, each side once", pair, how.pairs,
                     found.pairs.size(), found.pairs.size() == 1 ? "" : "s"));
    const auto measured = again.measure(found.pairs);
    if (!measured) return measured.error();
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      Evidence& evidence = by_row[found.rows[i]];
      if (const auto one = (*measured)[i].slowdown(comparison.baseline))
        evidence.slowdowns.push_back(*one);
      if (const auto& after = (*measured)[i].after)
        evidence.between_runs = spread_of(*after).between_runs;
    }
  }
  judge_by_pairs(comparison, by_row);
  return Done{};
}

}  // namespace kbench
