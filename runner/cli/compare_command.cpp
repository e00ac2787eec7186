#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/over_time/compare_report.hpp"
#include "reports/over_time/fail_on.hpp"
#include "runner/again/compared_runs.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {
namespace {

Status measure_again(Comparison& comparison, const CompareOptions& options,
                     const Installation& installation) {
  DeviceSession session(installation, SessionTurns::kMany);
  DeviceBenches benches(session);
  RunFace face(options.common.color, within_command(options.common.verbosity));
  return remeasure(comparison, options, benches, face,
                   [&](const std::string& text) { say(options.common, text); });
}

Result<End> finish_compared(const Comparison& comparison, const CompareOptions& options) {
  // The command line was held against the same rule.
  const auto fail_on = options.fail_on.empty() ? FailOn{} : parse_fail_on(options.fail_on).value();
  const auto offending = offenders(comparison, fail_on);
  if (offending.empty()) {
    const std::string unjudged = not_judged_words(comparison, fail_on);
    return good(fmt::format("compared {} with {}{}{}", short_id(comparison.after.run),
                            short_id(comparison.before.run), unjudged.empty() ? "" : ": ",
                            unjudged));
  }
  const std::size_t more = offending.size() - 1;
  const bool is_open = offending.front()->change == Change::kUndecided;
  const std::string text = fmt::format(
      "{}: {}{}", is_open ? "not decided" : describe(ExitCode::kRegression),
      offence_words(*offending.front()), more == 0 ? "" : fmt::format(", and {} more", more));
  return End{options.exit_zero ? ExitCode::kGood : ExitCode::kRegression, text};
}

Result<End> perform(const Store& store, const CompareOptions& options,
                    const Installation& installation) {
  const auto runs = find_compared(store, options.before, options.after);
  if (!runs) return runs.error();
  const auto differences = incomparable(runs->before, runs->after);
  if (!differences.empty() && !options.force) return refusal(*runs, differences);

  Comparison comparison = compare(runs->before, runs->after, options.baseline);
  if (comparison.rows.empty()) {
    const bool nothing = comparison.left_out_before + comparison.left_out_after == 0;
    if (nothing)
      return Error{ErrorCode::kNotFound, "there is no submission in either run",
                   "`kbench run FILE --task TASK` judges one"};
    return Error{ErrorCode::kNotFound,
                 fmt::format("the runs {} and {} have no submission in common",
                             short_id(comparison.before.run), short_id(comparison.after.run)),
                 "a submission is known by its agent and task; --name sets the agent of a FILE"};
  }
  if (options.remeasure)
    if (auto done = measure_again(comparison, options, installation); !done) return done.error();
  print_found(options, comparison, compare_json, [&](const auto& found, const auto& style) {
    return render_compare(found, options.all, style);
  });
  return finish_compared(comparison, options);
}

}  // namespace

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  auto& compare = add_verb(app, "compare", "Compare two stored runs");
  add_value(compare, "BEFORE", options.before, "",
            "Earlier run: start of an id, a tag, latest~N (default: the one before AFTER)");
  add_value(compare, "AFTER", options.after, "", "Later run (default: latest)");
  add_database(compare, options.database);
  add_baseline(compare, options.baseline);
  compare
      .add_option("--fail-on", options.fail_on,
                  "Exit with code 4 on slower:N%, fails or undecided, or several: slower:5%,fails "
                  "(see below)")
      ->check(CLI::Validator(
          [](std::string& word) -> std::string {
            const auto parsed = parse_fail_on(word);
            return parsed ? "" : parsed.error().message + ": " + parsed.error().hint;
          },
          ""))
      ->type_name("WHAT");
  compare.add_flag("--exit-zero", options.exit_zero,
                   "Exit code 0 in place of 4; the last line still says what --fail-on found");
  compare.add_flag("--all", options.all,
                   "Also list rows that are SAME, and UNDECIDED rows of an unchanged source");
  compare.add_flag("--force", options.force, "Compare runs that differ in how they measured");
  compare.add_flag("--remeasure", options.remeasure,
                   "Measure both sources again, in turns, and compare these times");
  add_pairs(compare, options.pairs, kMostComparedPairs,
            "Pairs that --remeasure measures (default: 3)");
  add_path(
      compare, "--submissions-before", options.submissions_before, "DIR",
      "Folder with the sources of BEFORE (default: the database, else their old path, else git)");
  add_path(compare, "--submissions-after", options.submissions_after, "DIR",
           "Folder with the sources of AFTER (default: likewise)");
  add_json(compare, options.format);
  add_wide(compare, options.common);
  add_common(compare, options.common, false);
  return &compare;
}

Result<End> call(const CompareOptions& options, const Installation& installation) {
  return with_runs(options.database, installation,
                   [&](const Store& store) { return perform(store, options, installation); });
}

}  // namespace kbench
