#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/run_facts.hpp"
#include "runner/again/stored_row.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/run/run_session.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// As the row's run was told, for this row alone.
RunOptions options_of(const ReproduceOptions& given, const StoredRow& row) {
  RunOptions options;
  options.common = given.common;
  options.suite = given.common.suite;
  static_cast<RunRequest&>(options) = with_choices_of(options, row.run);
  options.levels = {};
  options.tasks = {row.evaluation.task};
  options.submissions.reset();
  options.layout = RunRequest().layout;  // sources are kept as in a folder of ours
  options.file.reset();
  options.agent.reset();
  options.baselines_only = !row.evaluation.submission;
  options.database = given.into;
  options.outputs = given.outputs;
  options.command_line = given.command_line;
  return options;
}

// A task is chosen by its id alone: what else matches one may be in a database of another origin.
Status check_task(const RunOptions& options, const StoredRow& row) {
  if (!entry_of_id(row.evaluation.task)) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("run {} has a task \"{}\", which no suite can have", short_id(row.run),
                             clean_name(row.evaluation.task, 80)),
                 "Ask for the database as kbench wrote it."};
  }
  const auto& suite = options.suite;
  if (!suite || fs::is_directory(*suite)) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("the tasks of run {} lay in {}, which is no folder here",
                           short_id(row.run), clean_name(suite->string(), 300)),
               "Import them again (`kbench import`), or say with --suite where they are now."};
}

// Its sources go into `scratch`.
Status hand_in(const StoredRow& row, const fs::path& scratch, RunOptions& options) {
  if (!row.evaluation.submission) return Done{};
  const auto submission = write_stored_sources(row, scratch);
  if (!submission) return submission.error();
  if (is_lone_file(row)) {
    options.file = *submission;
    options.name = row.evaluation.submission->agent;
  } else {
    options.submissions = scratch;
  }
  return Done{};
}

// What a key is made of, as far as it differs.
std::vector<std::string> differences(const StoredRow& row, const Run& run, const Evaluation& now) {
  const Evaluation& then = row.evaluation;
  std::vector<std::string> differ;
  if (then.task_hash != now.task_hash) differ.emplace_back("the task file");
  const auto source = [](const Evaluation& e) {
    return e.submission ? e.submission->source_hash : "";
  };
  if (source(then) != source(now)) differ.emplace_back("the sources");
  const RunFacts before = facts_of(row.run);
  const RunFacts after = facts_of(run);
  if (!same_device(before, after))
    differ.push_back(
        fmt::format("the device ({} then, {} now)", device_words(before), device_words(after)));
  for (const Difference& change : environment_changes(before, after))
    if (change.what == "host compiler" || change.what == "nvcc" || change.what == "kbench")
      differ.push_back(change.what);
  return differ;
}

// Whether the rows of the new run are of the same evaluation, as words; empty without a row.
std::string verdict(const StoredRow& row, const Run& run, const std::vector<Evaluation>& rows) {
  if (rows.empty()) return "";
  const std::string id = short_id(row.run);
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const Evaluation& evaluation) {
    return evaluation.key == row.evaluation.key;
  });
  if (same != rows.end())
    return fmt::format("the same evaluation as in run {}: key {}; it was {} then, and is {} now",
                       id, row.evaluation.key.substr(0, 12), to_string(row.evaluation.state),
                       to_string(same->state));
  const auto differ = differences(row, run, rows.front());
  return fmt::format("not the same evaluation as in run {}: {}", id,
                     differ.empty() ? "the versions of kbench or its configuration differ"
                                    : fmt::format("{} changed", fmt::join(differ, ", ")));
}

}  // namespace

CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options, OutputWords& words) {
  auto* reproduce = app.add_subcommand("reproduce", "Evaluate a stored row again");
  reproduce->footer(help_of("reproduce"));
  add_row_choice(*reproduce, options.row);
  reproduce->add_option("--agent", options.row.agent, "Who submitted (default: nobody)")
      ->type_name("NAME");
  add_submission_choice(*reproduce, options.row);
  reproduce
      ->add_option("--into", options.into,
                   "SQLite database that gets the result (default: kbench.sqlite)")
      ->type_name("FILE");
  add_outputs(*reproduce, words);
  add_html(*reproduce, words, "--into");
  add_common(*reproduce, options.common, true);
  return reproduce;
}

int call(const ReproduceOptions& options, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto row = find_stored_row(options.row, installation);
  if (!row) return fail(row.error(), terminal);
  if (row->chain.state == ChainFinding::State::kChanged)
    fmt::print(stderr, "{} the rows of run {} were changed: {}\n",
               terminal.paint(Color::kYellow, "warning:"), short_id(row->run),
               printable(row->chain.message));
  RunOptions run = options_of(options, *row);
  if (auto here = check_task(run, *row); !here) return fail(here.error(), terminal);
  const auto scratch = ScratchFolder::make("kbench-reproduce");
  if (!scratch) return fail(scratch.error(), terminal);
  if (auto handed = hand_in(*row, scratch->path(), run); !handed)
    return fail(handed.error(), terminal);
  const auto checked = check_run_options(run);
  if (!checked) return fail(checked.error(), terminal);
  DeviceSession device(installation, SessionTurns::kOne);
  std::vector<Evaluation> rows;
  ReportingFace face(*checked, installation.suites,
                     [&](const Evaluation& evaluation) { rows.push_back(evaluation); });
  const auto outcome = RunSession(device, *checked, *checked, face).run();
  if (!outcome) return fail(outcome.error(), terminal);
  const RunEnd end =
      end_of_run(*outcome, *checked, /*exit_zero=*/false, written_files(checked->outputs));
  const std::string words = outcome->is_complete() ? verdict(*row, outcome->run, rows) : "";
  if (words.empty()) return finish(end.code, end.summary, options.common.verbosity);
  if (options.common.verbosity >= 0) fmt::print(stderr, "{}\n", printable(end.summary));
  return finish(end.code, words, options.common.verbosity);
}

}  // namespace kbench
