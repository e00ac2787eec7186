#include "runner/cli/dry_run.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/formats/text_table.hpp"
#include "reports/write/reporter.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/foreseen_run.hpp"
#include "runner/run/run_session.hpp"

namespace kbench {
namespace {

void print_table(const Plan& plan, const std::vector<ForeseenRow>& rows,
                 const RunOptions& options) {
  Column task{.heading = "Task"};
  Column submission{.heading = "Submission", .kind = Column::Kind::kName};
  Column what{.heading = "What"};
  Column time{.heading = "About", .kind = Column::Kind::kNumber};
  Column why{.heading = "Why", .importance = 1};
  for (const ForeseenRow& row : rows) {
    const std::string& name = row.unit->id.name;
    task.cells.push_back({sanitize_line(row.task->id), {}});
    submission.cells.push_back({name.empty() ? "-" : sanitize_line(name), {}});
    const bool fails = row.fate == ForeseenRow::Fate::kEnds;
    what.cells.push_back({row.fate_word(), fails ? std::optional(Tone::kCaution) : std::nullopt});
    time.cells.push_back({row.seconds ? duration_text(*row.seconds) : "-", {}});
    why.cells.push_back({sanitize_line(row.reason), {}});
  }
  fmt::print("{}", render_table({std::move(task), std::move(submission), std::move(what),
                                 std::move(time), std::move(why)},
                                output_style(options.common)));
  if (!plan.census) return;
  fmt::print("files: {}\n", plan.census->summary());
  for (const Census::Ignored& file : plan.census->ignored)
    if (file.mistaken) fmt::print("ignored {}: {}\n", printable(file.path), printable(file.why));
}

std::string time_words(const ForeseenTime& time) {
  if (time.known + time.unknown == 0) return "nothing to measure";
  if (time.known == 0) return "how long is not known: the database has no such rows";
  const std::string text = fmt::format("about {}", duration_text(time.seconds));
  if (time.unknown == 0) return text;
  return fmt::format("{} for {} of them; of the others nothing is stored", text, time.known);
}

std::string summarize(const std::vector<ForeseenRow>& rows) {
  const ForeseenTime time = estimate(rows);
  const std::size_t measured = time.known + time.unknown;
  return fmt::format(
      "dry run: {} of {} row{} would be measured ({}); nothing was started or stored", measured,
      rows.size(), rows.size() == 1 ? "" : "s", time_words(time));
}

// What goes to files is a matter of the run.
Result<bool> wants_json(const RunOptions& options) {
  for (const OutputRequest& output : options.outputs) {
    const std::string_view name = output.reporter->name;
    if (output.file || name == "table" || name == "github") continue;
    if (name == "json") return true;
    return Error{ErrorCode::kUsage, fmt::format("a plan has no rows to be shown as {}", name),
                 "--dry-run prints a table, or JSON with --format json"};
  }
  return false;
}

void tell_choice(const Plan& plan, const RunOptions& options) {
  Progress progress(stderr, Terminal{}, options.common.verbosity);
  progress.note(fmt::format("{} task{}, {} on {}", plan.tasks.size(),
                            plan.tasks.size() == 1 ? "" : "s", plan.target.size,
                            plan.target.device));
  if (!plan.submissions_from.empty()) progress.note(plan.submissions_from);
  for (const std::string& note : plan.notes) progress.note(note);
}

}  // namespace

Result<End> show_plan(const RunOptions& given, const Installation& installation) {
  const auto options = check_run_options(given);
  if (!options) return options.error();
  const auto json = wants_json(*options);
  if (!json) return json.error();
  const auto plan = plan_run(*options, *options, installation);
  if (!plan) return plan.error();
  if (!plan->nothing_selected.empty())
    return End{ExitCode::kNothingSelected, plan->nothing_selected};
  if (auto shown = check_shown(options->outputs, *plan); !shown) return shown.error();
  const auto rows = foresee_rows(*plan, *options, *options);
  if (!rows) return rows.error();
  tell_choice(*plan, *options);
  if (*json)
    print_json(foreseen_json(*plan, *rows, *options));
  else
    print_table(*plan, *rows, *options);
  return End{ExitCode::kGood, summarize(*rows)};
}

}  // namespace kbench
