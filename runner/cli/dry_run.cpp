#include "runner/cli/dry_run.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/reporter.hpp"
#include "reports/text_table.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

enum class Fate {
  kEvaluate,
  kBaselines,  // no submission: eager and compiled are timed
  kStored,     // the run that is resumed has its row
  kEnds,       // a row without being evaluated
};

struct ShownRow {
  const PlannedRow* unit = nullptr;
  const Task* task = nullptr;
  Fate fate = Fate::kEvaluate;
  std::string reason;             // of kEnds
  std::optional<double> seconds;  // that the like took before, of what is evaluated
};

// Of the rows that are evaluated.
struct Estimate {
  double seconds = 0;
  std::size_t known = 0, unknown = 0;
};

std::string fate_word(const ShownRow& row) {
  switch (row.fate) {
    case Fate::kEvaluate: return "evaluate";
    case Fate::kBaselines: return "baselines";
    case Fate::kStored: return "stored";
    case Fate::kEnds: return std::string(to_string(row.unit->ends_as.value_or(State::kSkipped)));
  }
  return "";
}

bool is_measured(const ShownRow& row) {
  return row.fate == Fate::kEvaluate || row.fate == Fate::kBaselines;
}

ShownRow foresee(const PlannedRow& unit, const Plan& plan, const RunOptions& options) {
  ShownRow row{.unit = &unit, .task = &plan.tasks[unit.task]};
  if (unit.ends_as) {
    row.fate = Fate::kEnds;
    row.reason = unit.hint.empty() ? unit.message : fmt::format("{} ({})", unit.message, unit.hint);
  } else if (row.task->find_size(plan.target.size) == nullptr) {
    row.fate = Fate::kEnds;
    row.reason = fmt::format("{} has no size {}", row.task->id, plan.target.size);
  } else if (!unit.submission && options.checks_only) {
    row.fate = Fate::kEnds;
    row.reason = "it has no submission, so there is nothing to check";
  } else if (!unit.submission) {
    row.fate = Fate::kBaselines;
  }
  return row;
}

// Absent where there is no database yet: then nothing was measured before.
Result<std::optional<Store>> open_existing(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::optional<Store>();
  auto store = Store::open(file, Store::Mode::kReadOnly);
  if (!store) return store.error();
  return std::optional<Store>(std::move(*store));
}

Status mark_stored(const Store& store, const RunOptions& options, std::vector<ShownRow>& rows) {
  const auto run = find_resumed_run(store, options);
  if (!run) return run.error();
  const auto stored = store.evaluations(run->id);
  if (!stored) return stored.error();
  std::map<std::pair<std::string, std::string>, std::string> hashes;  // of sources
  for (const Evaluation& row : *stored) {
    const SubmissionId id = row.submission.value_or(SubmissionId());
    hashes[{row.task, id.name}] = id.source_hash;
  }
  for (ShownRow& row : rows) {
    const auto found = hashes.find({row.task->id, row.unit->id.name});
    if (found == hashes.end()) continue;
    if (found->second != row.unit->id.source_hash)
      return Error{ErrorCode::kUsage,
                   fmt::format("run {} has a row of {} already, and its source changed since",
                               short_id(*run), clean_name(row.unit->id.name, 120)),
                   "start a new run: leave --resume out"};
    row.fate = Fate::kStored;
  }
  return Done{};
}

Status add_durations(const Store& store, const RunOptions& options, const Plan& plan,
                     std::vector<ShownRow>& rows) {
  const HowTimed how = options.checks_only ? HowTimed::kNot
                       : options.quick     ? HowTimed::kQuick
                                           : HowTimed::kInFull;
  for (ShownRow& row : rows) {
    if (!is_measured(row)) continue;
    auto seconds = store.typical_seconds(row.task->id, plan.target.size, plan.target.device, how);
    if (!seconds) return seconds.error();
    row.seconds = *seconds;
  }
  return Done{};
}

Result<std::vector<ShownRow>> foresee_all(const Plan& plan, const RunOptions& options) {
  std::vector<ShownRow> rows;
  for (const PlannedRow& unit : plan.units) rows.push_back(foresee(unit, plan, options));
  const auto store = open_existing(options.database);
  if (!store) return store.error();
  if (!*store) return rows;
  if (options.resume)
    if (auto marked = mark_stored(**store, options, rows); !marked) return marked.error();
  if (auto added = add_durations(**store, options, plan, rows); !added) return added.error();
  return rows;
}

Estimate estimate(const std::vector<ShownRow>& rows) {
  Estimate sum;
  for (const ShownRow& row : rows) {
    if (!is_measured(row)) continue;
    sum.seconds += row.seconds.value_or(0);
    ++(row.seconds ? sum.known : sum.unknown);
  }
  return sum;
}

void print_table(const Plan& plan, const std::vector<ShownRow>& rows, const RunOptions& options) {
  Column task{.heading = "Task"};
  Column submission{.heading = "Submission", .kind = Column::Kind::kName};
  Column what{.heading = "What"};
  Column time{.heading = "About", .kind = Column::Kind::kNumber};
  Column why{.heading = "Why", .importance = 1};
  for (const ShownRow& row : rows) {
    const std::string& name = row.unit->id.name;
    task.cells.push_back({sanitize_line(row.task->id), {}});
    submission.cells.push_back({name.empty() ? "-" : sanitize_line(name), {}});
    const bool fails = row.fate == Fate::kEnds;
    what.cells.push_back({fate_word(row), fails ? std::optional(Tone::kCaution) : std::nullopt});
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

Json row_json(const ShownRow& row) {
  const SubmissionId& id = row.unit->id;
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  return {{"task", row.task->id},
          {"agent", text(id.agent)},
          {"variant", text(id.variant)},
          {"submission", text(id.name)},
          {"what", fate_word(row)},
          {"reason", text(row.reason)},
          {"seconds", row.seconds ? Json(*row.seconds) : Json()}};
}

Json plan_json(const Plan& plan, const std::vector<ShownRow>& rows, const RunOptions& options) {
  Json list = Json::array();
  for (const ShownRow& row : rows) list.push_back(row_json(row));
  const Estimate time = estimate(rows);
  return {{"schema_version", 1},
          {"device", plan.target.device},
          {"size", plan.target.size},
          {"database", options.database.string()},
          {"notes", plan.notes},
          {"files", plan.census ? census_json(*plan.census) : Json()},
          {"rows", std::move(list)},
          {"seconds", time.known > 0 ? Json(time.seconds) : Json()},
          {"rows_without_seconds", time.unknown}};
}

std::string time_words(const Estimate& time) {
  if (time.known + time.unknown == 0) return "nothing to measure";
  if (time.known == 0) return "how long is not known: the database has no such rows";
  const std::string text = fmt::format("about {}", duration_text(time.seconds));
  if (time.unknown == 0) return text;
  return fmt::format("{} for {} of them; of the others nothing is stored", text, time.known);
}

std::string summarize(const std::vector<ShownRow>& rows) {
  const Estimate time = estimate(rows);
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

Result<RunEnd> show_plan(const RunOptions& given, const Installation& installation) {
  const auto options = check_run_options(given);
  if (!options) return options.error();
  const auto json = wants_json(*options);
  if (!json) return json.error();
  const auto plan = plan_run(*options, *options, installation);
  if (!plan) return plan.error();
  if (!plan->nothing_selected.empty())
    return RunEnd{ExitCode::kNothingSelected, plan->nothing_selected};
  if (auto shown = check_shown(options->outputs, *plan); !shown) return shown.error();
  const auto rows = foresee_all(*plan, *options);
  if (!rows) return rows.error();
  tell_choice(*plan, *options);
  if (*json)
    print_json(plan_json(*plan, *rows, *options));
  else
    print_table(*plan, *rows, *options);
  return RunEnd{ExitCode::kGood, summarize(*rows)};
}

}  // namespace kbench
