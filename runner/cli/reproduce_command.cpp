#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/again/reproduction.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/run/run_session.hpp"

namespace kbench {
CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options) {
  auto& reproduce = add_verb(app, "reproduce", "Evaluate a stored row again");
  add_row_choice(reproduce, options.row);
  add_value(reproduce, "--agent", options.row.agent, "NAME",
            "Who submitted (default: the only agent of the task)");
  add_submission_choice(reproduce, options.row);
  add_value(reproduce, "--into", options.into, "FILE",
            "SQLite database that gets the result (default: kbench.sqlite)");
  add_outputs(reproduce, options.words);
  add_html(reproduce, options.words, "--into");
  add_common(reproduce, options.common, true);
  return &reproduce;
}

Result<End> call(const ReproduceOptions& options, const Installation& installation) {
  const auto row = find_stored_row(options.row, installation);
  if (!row) return row.error();
  if (row->chain.state == ChainFinding::State::kChanged)
    warn(options.common, fmt::format("the rows of run {} were changed: {}", short_id(row->run),
                                     printable(row->chain.message)));
  const auto scratch = ScratchFolder::make("kbench-reproduce");
  if (!scratch) return scratch.error();
  auto request = reproducing_request(*row, options.common.suite, scratch->path());
  if (!request) return request.error();
  RunOptions run;
  static_cast<RunRequest&>(run) = std::move(*request);
  run.common = options.common;
  run.database = options.into;
  run.outputs = options.outputs;
  run.command_line = options.command_line;
  const auto checked = check_run_options(run);
  if (!checked) return checked.error();
  DeviceSession device(installation, SessionTurns::kOne);
  std::vector<Evaluation> rows;
  ReportingFace face(run.common.color, run.common.verbosity, reports_of(*checked, installation),
                     [&](const Evaluation& evaluation) { rows.push_back(evaluation); });
  const auto outcome = RunSession(device, *checked, *checked, face).run();
  if (!outcome) return outcome.error();
  const End end =
      end_of_run(*outcome, *checked, /*exit_zero=*/false, written_files(checked->outputs));
  const std::string words =
      outcome->is_complete() ? reproduction_words(*row, outcome->run, rows) : "";
  if (words.empty()) return end;
  say(options.common, printable(end.summary));
  return End{end.code, words};
}

}  // namespace kbench
