#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/again/reproduction.hpp"
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
#include "runner/run/run_session.hpp"

namespace kbench {
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
  const auto scratch = ScratchFolder::make("kbench-reproduce");
  if (!scratch) return fail(scratch.error(), terminal);
  auto request = reproducing_request(*row, options.common.suite, scratch->path());
  if (!request) return fail(request.error(), terminal);
  RunOptions run;
  static_cast<RunRequest&>(run) = std::move(*request);
  run.common = options.common;
  run.database = options.into;
  run.outputs = options.outputs;
  run.command_line = options.command_line;
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
  const std::string words =
      outcome->is_complete() ? reproduction_words(*row, outcome->run, rows) : "";
  if (words.empty()) return finish(end.code, end.summary, options.common.verbosity);
  if (options.common.verbosity >= 0) fmt::print(stderr, "{}\n", printable(end.summary));
  return finish(end.code, words, options.common.verbosity);
}

}  // namespace kbench
