#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/compare_report.hpp"
#include "reports/fail_on.hpp"
#include "reports/run_list.hpp"
#include "runner/again/remeasure.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

bool is_comparable(const RunFacts& facts, const RunFacts& with) {
  return facts.timed && same_device(facts, with);
}

// What was checked only has nothing to compare, --force or not.
Status check_timed(const Run& run) {
  if (facts_of(run).timed) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("nothing was timed in run {} (--checks-only)", short_id(run)),
               "`kbench runs` lists the others; `kbench report table` shows this one."};
}

bool is_one_file(const Run& run) { return !facts_of(run).submitted_file.empty(); }

using Submitted = std::set<std::pair<std::string, std::string>>;  // task, agent

Result<Submitted> submitted_in(const Store& store, const Run& run) {
  const auto rows = store.evaluations(run.id);
  if (!rows) return rows.error();
  Submitted submitted;
  for (const Evaluation& row : *rows)
    if (row.submission) submitted.emplace(row.task, row.submission->agent);
  return submitted;
}

// Between the tries of one file there may be those of others, which have nothing to do with it.
// Runs of folders are taken as they are.
Result<bool> have_in_common(const Store& store, const Run& before, const Run& after) {
  if (!is_one_file(before) && !is_one_file(after)) return true;
  const auto then = submitted_in(store, before);
  if (!then) return then.error();
  const auto now = submitted_in(store, after);
  if (!now) return now.error();
  return std::any_of(then->begin(), then->end(),
                     [&](const auto& submission) { return now->contains(submission); });
}

// The run before `after` on its device; of those with a submission in common, if there is any.
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
  const Run* last = nullptr;
  while (it != runs->end() && ++it != runs->end()) {
    if (!is_comparable(facts_of(*it), facts) || is_a_shard_beside(*it)) continue;
    const auto common = have_in_common(store, *it, after);
    if (!common) return common.error();
    if (*common) return std::move(*it);
    if (last == nullptr) last = &*it;
  }
  if (last != nullptr) return *last;
  const std::string device = device_words(facts);
  return Error{ErrorCode::kNotFound,
               fmt::format("there is no run before {} on its device{}{}", short_id(after),
                           device.empty() ? "" : ", ", device),
               "`kbench runs` lists them; two are compared as `kbench compare BEFORE AFTER`."};
}

struct Pair {
  ReportData before;
  ReportData after;
};

Result<Pair> load_pair(const Store& store, const CompareOptions& options) {
  const auto after =
      find_run_named(store, options.after, [](const Run& run) { return facts_of(run).timed; });
  if (!after) return after.error();
  const RunFacts facts = facts_of(*after);
  const auto before =
      options.before
          ? find_run_named(store, *options.before,
                           [&](const Run& run) { return is_comparable(facts_of(run), facts); })
          : run_before(store, *after);
  if (!before) return before.error();
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
  return Pair{std::move(*then), std::move(*now)};
}

Error refusal(const Pair& pair, const std::vector<Difference>& differences) {
  return {ErrorCode::kUsage,
          fmt::format("the runs {} and {} cannot be compared, because these differ:\n{}",
                      short_id(pair.before.run), short_id(pair.after.run),
                      difference_lines(differences)),
          "`kbench runs` lists the others; --force compares these all the same, and says so."};
}

void say(const CommonOptions& common, const std::string& text) {
  if (common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
}

// Rows that are correct in both runs, and whose two sources are to be had.
struct Measurable {
  std::vector<SourcePair> pairs;
  std::vector<std::size_t> rows;  // of each pair
  std::string missing;            // why the first of the others is not among them
  int without = 0;
};

Measurable measurable_rows(const Comparison& comparison, const CompareOptions& options,
                           SourcesOfRuns& sources) {
  Measurable found;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    const bool timed = row.before && row.after && row.before->counts_as_correct() &&
                       row.after->counts_as_correct();
    if (!timed || row.same_source) continue;
    auto before = sources.of(comparison.before.run, options.submissions_before)
                      .find(row.task, *row.submission_before);
    auto after = sources.of(comparison.after.run, options.submissions_after)
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

Status remeasure(Comparison& comparison, const CompareOptions& options,
                 const Installation& installation) {
  SourcesOfRuns sources(installation, options.database);
  const Measurable found = measurable_rows(comparison, options, sources);
  if (found.without > 0)
    comparison.cautions.push_back(fmt::format("{} row{} not measured again: {}", found.without,
                                              found.without == 1 ? " was" : "s were",
                                              found.missing));
  if (found.pairs.empty()) {
    comparison.cautions.emplace_back(
        "nothing was measured again: no row with another source is correct in both runs");
    return Done{};
  }
  DeviceSession session(installation, SessionTurns::kMany);
  DeviceBenches benches(session);
  RunFace face(within_command(options.common));
  // As that run measured: device, size, precision class, profile, suite, quick or not.
  Remeasurement again(comparison.after.run, with_choices_of({}, comparison.after.run), benches,
                      face, {.database = remeasured_database(options.database)},
                      "kbench compare --remeasure");
  std::vector<Evidence> by_row(comparison.rows.size());
  for (int pair = 1; pair <= options.pairs; ++pair) {
    say(options.common,
        fmt::format("pair {} of {}: {} submission{}, each side once", pair, options.pairs,
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

int finish_compared(const Comparison& comparison, const CompareOptions& options) {
  // The command line was held against the same rule.
  const auto fail_on = options.fail_on.empty() ? FailOn{} : parse_fail_on(options.fail_on).value();
  const auto offending = offenders(comparison, fail_on);
  if (offending.empty()) {
    return finish(ExitCode::kGood,
                  fmt::format("compared {} with {}", short_id(comparison.after.run),
                              short_id(comparison.before.run)),
                  options.common.verbosity);
  }
  const std::size_t more = offending.size() - 1;
  const std::string text =
      fmt::format("{}: {}{}", describe(ExitCode::kRegression), offence_words(*offending.front()),
                  more == 0 ? "" : fmt::format(", and {} more", more));
  if (options.exit_zero) return finish(ExitCode::kGood, text, options.common.verbosity);
  return finish(ExitCode::kRegression,
                fmt::format("{} (exit code {})", text, to_int(ExitCode::kRegression)),
                options.common.verbosity);
}

}  // namespace

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  auto* compare = app.add_subcommand("compare", "Compare two stored runs");
  compare->footer(help_of("compare"));
  compare->add_option("BEFORE", options.before, "Run (default: the one before AFTER)")
      ->type_name("");
  compare->add_option("AFTER", options.after, "Run (default: latest)")->type_name("");
  add_database(*compare, options.database);
  add_baseline(*compare, options.over_compiled);
  compare->add_option("--fail-on", options.fail_on, "slower:N%, fails, or both with a comma")
      ->check(CLI::Validator(
          [](std::string& word) -> std::string {
            const auto parsed = parse_fail_on(word);
            return parsed ? "" : parsed.error().message + ": " + parsed.error().hint;
          },
          ""))
      ->type_name("WHAT");
  compare->add_flag("--exit-zero", options.exit_zero,
                    "Exit code 0 in place of 4: what --fail-on finds is in the last line alone");
  compare->add_flag("--all", options.all, "List what is the same, too");
  compare->add_flag("--force", options.force, "Compare runs that differ in how they measured");
  compare->add_flag("--remeasure", options.remeasure,
                    "Measure both sides again, in turns, and compare that");
  add_pairs(*compare, options.pairs, 99, "Pairs that --remeasure measures (default: 3)");
  for (auto [name, folder] : {std::pair{"--submissions-before", &options.submissions_before},
                              std::pair{"--submissions-after", &options.submissions_after}})
    add_path(*compare, name, *folder, "Where the sources of that run are (default: found)")
        ->type_name("DIR");
  add_json(*compare, options.format);
  add_wide(*compare, options.common);
  add_common(*compare, options.common, false);
  return compare;
}

int call(const CompareOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  const auto pair = load_pair(*store, options);
  if (!pair) return fail(pair.error(), terminal);
  const auto differences = incomparable(pair->before, pair->after);
  if (!differences.empty() && !options.force) return fail(refusal(*pair, differences), terminal);

  Comparison comparison =
      compare(pair->before, pair->after, options.over_compiled ? Side::kCompiled : Side::kEager);
  if (comparison.rows.empty()) {
    const bool nothing = comparison.left_out_before + comparison.left_out_after == 0;
    return finish(
        ExitCode::kNothingSelected,
        nothing ? "there is no submission in either run"
                : fmt::format("the runs {} and {} have no submission in common",
                              short_id(comparison.before.run), short_id(comparison.after.run)),
        options.common.verbosity);
  }
  if (options.remeasure)
    if (auto done = remeasure(comparison, options, installation); !done)
      return fail(done.error(), terminal);
  if (options.format == OutputFormat::kJson)
    print_json(compare_json(comparison));
  else
    fmt::print("{}", render_compare(comparison, options.all, output_style(options.common)));
  return finish_compared(comparison, options);
}

}  // namespace kbench
