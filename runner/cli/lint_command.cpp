#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/lint/lint_session.hpp"
#include "runner/print/progress.hpp"
#include "runner/print/task_text.hpp"

namespace kbench {
namespace {

ExitCode code_of(const SuiteLint& found) {
  if (found.interrupted) return ExitCode::kInterrupted;
  if (found.count(LintState::kUnable) > 0) return ExitCode::kInfrastructure;
  const bool bad = found.count(LintState::kFailed) > 0 || found.accepts_too_many();
  return bad ? ExitCode::kTaskFailed : ExitCode::kGood;
}

}  // namespace

CLI::App* add_lint(CLI::App& tasks, LintOptions& options) {
  auto& lint = add_verb(tasks, "lint", "Check that wrong kernels fail on each task");
  add_levels(lint, options.selection.levels);
  add_task_globs(lint, options.selection.tasks);
  add_tags(lint, options.selection.tags);
  add_size(lint, options.selection.size);
  add_device(lint, options.selection.device);
  add_precision(lint, options.selection.precision);
  add_json(lint, options.format);
  add_database(lint, options.database,
               "SQLite database that keeps the results (default: kbench.sqlite)");
  add_common(lint, options.common, true);
  return &lint;
}

Result<End> call(const LintOptions& options, const Installation& installation) {
  Progress progress = progress_of(options.common);
  RunRequest selection = options.selection;
  selection.suite = options.common.suite;
  const auto found = lint_suite(selection, options.database, installation, progress);
  if (!found) return found.error();
  if (found->nothing_selected) return *found->nothing_selected;
  if (options.format == OutputFormat::kJson)
    fmt::print("{}\n", lint_json(found->rows).dump(2, ' ', true, Json::error_handler_t::replace));
  else
    fmt::print("{}", lint_text(found->rows, options.common.verbosity > 0,
                               standard_output(options.common)));
  return End{code_of(*found), lint_words(*found)};
}

}  // namespace kbench
