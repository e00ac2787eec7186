#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/lint/lint_json.hpp"
#include "runner/print/progress.hpp"
#include "runner/print/task_text.hpp"

namespace kbench {
namespace {

// A suite of 250 tasks may keep at most five with a flaw that they name.
constexpr int kMostAccepted = 5;

// A run skips such a task.
bool is_not_in_half(const LintRecord& record) {
  return std::any_of(record.findings.begin(), record.findings.end(),
                     [](const LintFinding& finding) { return finding.kind == kNotInHalf; });
}

End conclude(const SuiteLint& found) {
  std::map<LintState, int> count;
  int not_in_class = 0;
  for (const LintRow& row : found.rows) {
    ++count[row.outcome.record.state];
    if (is_not_in_half(row.outcome.record)) ++not_in_class;
  }
  std::string text = fmt::format("{} of {} tasks passed, {} with an accepted flaw, {} failed",
                                 count[LintState::kPassed], found.rows.size(),
                                 count[LintState::kAccepted], count[LintState::kFailed]);
  if (not_in_class > 0)
    text += fmt::format(", {} of them since the class does not have them", not_in_class);
  if (count[LintState::kUnable] > 0)
    text += fmt::format(", {} could not be tried", count[LintState::kUnable]);
  if (found.interrupted) return End{ExitCode::kInterrupted, text};
  if (count[LintState::kUnable] > 0) return End{ExitCode::kInfrastructure, text};
  if (count[LintState::kAccepted] > kMostAccepted)
    return End{ExitCode::kTaskFailed,
               fmt::format("{}; at most {} may accept one", text, kMostAccepted)};
  const bool failed = count[LintState::kFailed] > 0;
  return End{failed ? ExitCode::kTaskFailed : ExitCode::kGood, text};
}

}  // namespace

CLI::App* add_lint(CLI::App& tasks, LintOptions& options) {
  auto& lint = add_verb(tasks, "lint", "Check that each task can tell right from wrong");
  add_levels(lint, options.selection.levels);
  add_task_globs(lint, options.selection.tasks);
  add_tags(lint, options.selection.tags);
  add_size(lint, options.selection.size);
  add_device(lint, options.selection.device);
  add_precision(lint, options.selection.precision);
  add_json(lint, options.format);
  add_database(lint, options.database,
               "SQLite database that keeps the states (default: kbench.sqlite)");
  add_common(lint, options.common, true);
  return &lint;
}

Result<End> call(const LintOptions& options, const Installation& installation) {
  Progress progress = progress_of(options.common);
  RunRequest selection = options.selection;
  selection.suite = options.common.suite;
  const auto found = lint_suite(selection, options.database, installation, progress);
  if (!found) return found.error();
  if (found->nothing_selected) return End{ExitCode::kNothingSelected, "no task matches"};
  if (options.format == OutputFormat::kJson)
    fmt::print("{}\n", lint_json(found->rows).dump(2, ' ', true, Json::error_handler_t::replace));
  else
    fmt::print("{}", lint_text(found->rows, options.common.verbosity > 0,
                               standard_output(options.common)));
  return conclude(*found);
}

}  // namespace kbench
