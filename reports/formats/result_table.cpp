#include "reports/formats/result_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/file_names.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// How soon a column falls away on a narrow terminal, the lowest first; the others say what it is
// and how it went, and stay.
int importance_of(std::string_view name) {
  constexpr std::pair<std::string_view, int> kFalling[] = {
      {"lint", 1},           {"max_error", 2},        {"time_ns.compiled", 3},
      {"time_ns.eager", 4},  {"speedup.compiled", 5}, {"time_ns.submission", 6},
      {"vendor.time_ns", 3}, {"vendor.speedup", 5}};
  for (const auto& [falling, importance] : kFalling)
    if (name == falling) return importance;
  return 0;
}

Column field_column(std::string_view name, Column::Kind kind, std::span<const ResultRow> rows) {
  const Field& field = result_field(name);
  Column column{std::string(field.heading), kind, {}, importance_of(name)};
  for (const ResultRow& row : rows) column.cells.push_back({show(field, row), {}});
  return column;
}

// Numbers of a submission that is not correct are not to be read as results.
Column speedup_column(std::string_view name, std::span<const ResultRow> rows) {
  Column column = field_column(name, Column::Kind::kNumber, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].counts_as_correct()) column.cells[i] = {"–", {}};
  return column;
}

Cell state_cell(const ResultRow& row) {
  return {fmt::format("{} {}", glyph(row.state), words(row.state)), tone(row.state)};
}

Cell verdict_cell(const ResultRow& row) {
  if (row.credit.below_floor) return {"below the floor", Tone::kCaution};
  if (!row.counts_as_correct() || !row.over_eager) return {"–", {}};
  if (!row.ranked()) return {"not ranked", Tone::kCaution};
  const Verdict verdict = row.over_eager->verdict;
  return {fmt::format("{} {}", glyph(verdict), to_string(verdict)), tone(verdict)};
}

// "level1/" where all tasks are of that level; of several levels "level", which leaves
// "1/019_relu".
std::size_t spare_of_tasks(std::span<const ResultRow> rows) {
  constexpr std::string_view kLevel = "level";
  const auto all_begin_with = [&](std::string_view text) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const ResultRow& row) { return row.task.starts_with(text); });
  };
  if (rows.empty() || !all_begin_with(kLevel)) return 0;
  const std::string_view first = rows.front().task;
  const std::size_t slash = first.find('/');
  if (slash != first.npos && all_begin_with(first.substr(0, slash + 1))) return slash + 1;
  return kLevel.size();
}

bool several_sizes(std::span<const ResultRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow& row) { return row.size != rows.front().size; });
}

Tone tone_of(LintState state) {
  switch (state) {
    case LintState::kPassed: return Tone::kGood;
    case LintState::kAccepted: return Tone::kCaution;
    case LintState::kFailed:
    case LintState::kUnable: return Tone::kBad;
  }
  return Tone::kBad;
}

// A column for lint, only where any of the tasks was linted.
std::optional<Column> lint_column(std::span<const ResultRow> rows) {
  Column column = field_column("lint", Column::Kind::kText, rows);
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].lint_state) continue;
    any = true;
    column.cells[i].tone = tone_of(*rows[i].lint_state);
  }
  return any ? std::optional(column) : std::nullopt;
}

bool is_number(const ReportColumn& column) {
  if (column.field == nullptr || column.part == "verdict") return false;
  return column.field->unit != Unit::kText && column.field->unit != Unit::kFlag &&
         column.field->unit != Unit::kObject;
}

// A whole value by its field's unit, a part of a speed-up as CSV has it.
Cell chosen_cell(const ReportColumn& column, const Run& run, const ResultRow& row) {
  if (column.field != nullptr && column.part.empty()) {
    const auto colour = column.name == "state" ? std::optional(tone(row.state)) : std::nullopt;
    return {sanitize_line(show(*column.field, row)), colour};
  }
  const Json value = column_value(column, run, row);
  if (value.is_null()) return {"–", {}};
  return {value.is_string() ? sanitize_line(value.get<std::string>()) : value.dump(), {}};
}

}  // namespace

std::string render_chosen(const ReportData& data, const std::vector<ReportColumn>& chosen,
                          bool colour) {
  const std::vector<ResultRow> rows = derive_all(data);
  std::vector<Column> columns;
  for (const ReportColumn& one : chosen) {
    const bool whole = one.field != nullptr && one.part.empty();
    Column column{whole ? std::string(one.field->heading) : one.name,
                  is_number(one) ? Column::Kind::kNumber : Column::Kind::kText,
                  {}};
    for (const ResultRow& row : rows)
      column.cells.push_back(chosen_cell(one, run_of(data, row), row));
    columns.push_back(std::move(column));
  }
  return render_table(std::move(columns), {.colour = colour});
}

std::vector<Column> result_columns(std::span<const ResultRow> rows, std::size_t name_columns) {
  using Kind = Column::Kind;
  std::vector<Column> columns;
  columns.push_back(field_column("task", Kind::kName, rows));
  columns.back().spare = spare_of_tasks(rows);
  if (several_sizes(rows)) columns.push_back(field_column("size", Kind::kText, rows));
  Column contestant{"Submission", Kind::kName, {}};
  Column state{"State", Kind::kText, {}};
  Column verdict{"Verdict", Kind::kText, {}};
  for (const ResultRow& row : rows) {
    const std::string name = short_told_apart(row, name_columns);
    contestant.cells.push_back({row.has_submission ? name : "–", {}});
    state.cells.push_back(state_cell(row));
    verdict.cells.push_back(verdict_cell(row));
  }
  columns.push_back(std::move(contestant));
  columns.push_back(std::move(state));
  if (std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.timed; })) {
    for (const char* name : {"time_ns.eager", "time_ns.compiled", "time_ns.submission"})
      columns.push_back(field_column(name, Kind::kNumber, rows));
    columns.push_back(speedup_column("speedup.eager", rows));
    columns.push_back(std::move(verdict));
    columns.push_back(speedup_column("speedup.compiled", rows));
    if (std::any_of(rows.begin(), rows.end(),
                    [](const ResultRow& row) { return row.asked_for_vendor(); })) {
      columns.push_back(field_column("vendor.time_ns", Kind::kNumber, rows));
      columns.push_back(speedup_column("vendor.speedup", rows));
    }
  }
  columns.push_back(field_column("max_error", Kind::kNumber, rows));
  if (auto lint = lint_column(rows)) columns.push_back(std::move(*lint));
  return columns;
}

}  // namespace kbench
