#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/lint/lint_json.hpp"

namespace kbench {
namespace {

// A suite of 250 tasks may keep at most five with a flaw that they name.
constexpr int kMostAccepted = 5;

Color color_of(LintState state) {
  switch (state) {
    case LintState::kPassed: return Color::kGreen;
    case LintState::kAccepted: return Color::kYellow;
    case LintState::kFailed:
    case LintState::kUnable: return Color::kRed;
  }
  return Color::kRed;
}

void print_table(const Terminal& out, const std::vector<LintRow>& rows, bool with_notes) {
  std::size_t width = 0;
  for (const LintRow& row : rows) width = std::max(width, row.outcome.record.task.size());
  for (const LintRow& row : rows) {
    const LintRecord& record = row.outcome.record;
    fmt::print("{:{}}  {}  {:3} of {:3} mutations rejected  eager {:8.3f} ms\n", record.task, width,
               out.paint(color_of(record.state), fmt::format("{:8}", to_string(record.state))),
               record.rejected, record.mutants, row.outcome.eager_ms);
    for (const LintFinding& finding : record.findings) {
      // A parameter without effect is right, and a task that nobody would write knowing of it.
      const bool is_dead = finding.kind == to_string(MutationKind::kParameter);
      if (with_notes || is_dead || finding.weight != LintFinding::Weight::kNote) {
        fmt::print("    {} {}: {}\n", to_string(finding.weight), finding.kind,
                   sanitize_line(finding.message));
      }
    }
  }
}

End conclude(const SuiteLint& found) {
  std::map<LintState, int> count;
  for (const LintRow& row : found.rows) ++count[row.outcome.record.state];
  std::string text = fmt::format("{} of {} tasks passed, {} with an accepted flaw, {} failed",
                                 count[LintState::kPassed], found.rows.size(),
                                 count[LintState::kAccepted], count[LintState::kFailed]);
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
  Progress progress(options.common);
  RunRequest selection = options.selection;
  selection.suite = options.common.suite;
  const auto found = lint_suite(selection, options.database, installation, progress);
  if (!found) return found.error();
  if (found->nothing_selected) return End{ExitCode::kNothingSelected, "no task matches"};
  if (options.format == OutputFormat::kJson) {
    fmt::print("{}\n", lint_json(found->rows).dump(2, ' ', true, Json::error_handler_t::replace));
  } else {
    print_table(inspect_terminal(STDOUT_FILENO, options.common.color), found->rows,
                options.common.verbosity > 0);
  }
  return conclude(*found);
}

}  // namespace kbench
