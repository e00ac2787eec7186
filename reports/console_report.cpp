#include "reports/console_report.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "reports/fields.hpp"
#include "reports/ranking.hpp"
#include "reports/sanitize.hpp"
#include "reports/text_table.hpp"

namespace kbench {
namespace {

Column field_column(std::string_view name, bool right, const std::vector<ResultRow>& rows) {
  const Field& field = result_field(name);
  Column column{std::string(field.heading), right, {}};
  for (const ResultRow& row : rows) column.cells.push_back({show(field, row), {}});
  return column;
}

// Numbers of a submission that is not correct are not to be read as results.
Column speedup_column(std::string_view name, const std::vector<ResultRow>& rows) {
  Column column = field_column(name, true, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].counts_as_correct()) column.cells[i] = {"–", {}};
  return column;
}

Cell state_cell(const ResultRow& row) {
  return {fmt::format("{} {}", glyph(row.state), words(row.state)), tone(row.state)};
}

Cell verdict_cell(const ResultRow& row) {
  if (!row.counts_as_correct() || !row.over_eager) return {"–", {}};
  if (!row.ranked()) return {"not ranked", Tone::kCaution};
  const Verdict verdict = row.over_eager->verdict;
  return {fmt::format("{} {}", glyph(verdict), to_string(verdict)), tone(verdict)};
}

constexpr std::size_t kNameColumns = 32;

std::string short_name(const std::string& name) {
  return shorten(sanitize_line(name), kNameColumns);
}

std::string contestant_of(const ResultRow& row) {
  return row.has_submission ? short_name(row.contestant()) : "–";
}

bool several_sizes(const std::vector<ResultRow>& rows) {
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

// Only where any of the tasks was linted.
std::optional<Column> lint_column(const std::vector<ResultRow>& rows) {
  Column column = field_column("lint", false, rows);
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].lint_state) continue;
    any = true;
    column.cells[i].tone = tone_of(*rows[i].lint_state);
  }
  return any ? std::optional(column) : std::nullopt;
}

std::vector<Column> columns_of(const std::vector<ResultRow>& rows) {
  std::vector<Column> columns;
  columns.push_back(field_column("task", false, rows));
  if (several_sizes(rows)) columns.push_back(field_column("size", false, rows));
  Column contestant{"Submission", false, {}};
  Column state{"State", false, {}};
  Column verdict{"Verdict", false, {}};
  for (const ResultRow& row : rows) {
    contestant.cells.push_back({contestant_of(row), {}});
    state.cells.push_back(state_cell(row));
    verdict.cells.push_back(verdict_cell(row));
  }
  columns.push_back(std::move(contestant));
  columns.push_back(std::move(state));
  for (const char* name : {"time_ns.eager", "time_ns.compiled", "time_ns.submission"})
    columns.push_back(field_column(name, true, rows));
  columns.push_back(speedup_column("speedup.eager", rows));
  columns.push_back(std::move(verdict));
  columns.push_back(speedup_column("speedup.compiled", rows));
  columns.push_back(field_column("max_error", true, rows));
  if (const auto lint = lint_column(rows)) columns.push_back(*lint);
  return columns;
}

// Indented, at most `limit` lines; the rest is counted.
std::string render_message(const std::string& message, int limit) {
  std::string out;
  const std::string text = sanitize_text(message);
  int line_number = 0;
  int left_out = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (line_number++ < limit) {
      append_line(out, fmt::format("      {}", text.substr(begin, end - begin)));
    } else {
      ++left_out;
    }
    begin = end + 1;
  }
  if (left_out > 0) out += fmt::format("      … {} more lines in the HTML report\n", left_out);
  return out;
}

std::string render_failure(const ResultRow& row, const ConsoleOptions& options) {
  std::string out =
      fmt::format("  {} {}  {}  {}\n", paint(glyph(row.state), tone(row.state), options.colour),
                  sanitize_line(row.task), contestant_of(row),
                  paint(words(row.state), tone(row.state), options.colour));
  out += render_message(row.message, options.message_lines);
  if (!row.hint.empty()) out += fmt::format("      → {}\n", sanitize_line(row.hint));
  return out;
}

// A section of reasons, each with the number of rows that it concerns; nothing without any.
std::string render_counts(std::string_view heading, const std::map<std::string, int>& counts) {
  std::string out;
  for (const auto& [reason, count] : counts)
    out += fmt::format("  – {} ({} row{})\n", sanitize_line(reason), count, count == 1 ? "" : "s");
  return out.empty() ? out : fmt::format("\n{}\n{}", heading, out);
}

// Whether the row's message, which is shown, tells the same.
bool is_told(const std::string& reason, const ResultRow& row) {
  return !row.message.empty() &&
         (row.message.starts_with(reason) || reason.starts_with("not measured: "));
}

// Reasons of missing baselines.
std::string render_reasons(const std::vector<ResultRow>& rows) {
  std::map<std::string, int> counts;
  for (const ResultRow& row : rows) {
    for (const auto& [side, timing] : {std::pair("eager", row.eager), {"compiled", row.compiled}})
      if (!timing.reason.empty() && !is_told(timing.reason, row))
        ++counts[fmt::format("{}: {}", side, timing.reason)];
  }
  return render_counts("Not timed", counts);
}

// Why speed-ups have no verdict.
std::string render_no_verdicts(const std::vector<ResultRow>& rows) {
  std::map<std::string, int> counts;
  for (const ResultRow& row : rows)
    if (!row.no_verdict.empty()) ++counts[row.no_verdict];
  return render_counts("No verdict", counts);
}

// Tasks that count in no score, each with the reason.
std::string render_unranked(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::string> reasons;
  for (const ResultRow& row : rows)
    if (!row.ranked()) reasons.emplace(row.task, row.unranked);
  std::string out;
  for (const auto& [task, reason] : reasons)
    out += fmt::format("  – {}: {}\n", sanitize_line(task), sanitize_line(reason));
  return out.empty() ? out : fmt::format("\nNot ranked, in no score\n{}", out);
}

std::string count_states(const std::vector<ResultRow>& rows) {
  std::map<State, int> counts;
  for (const ResultRow& row : rows) ++counts[row.state];
  std::string out;
  for (const auto& [state, count] : counts) out += fmt::format(" · {} {}", count, words(state));
  return out;
}

// Nothing where the chain holds.
std::string render_chain(const ChainFinding& chain, const ConsoleOptions& options) {
  if (chain.state == ChainFinding::State::kHolds) return "";
  const bool changed = chain.state == ChainFinding::State::kChanged;
  return fmt::format(
      "\nRows {}: {}\n",
      paint(to_string(chain.state), changed ? Tone::kBad : Tone::kCaution, options.colour),
      sanitize_line(chain.message));
}

}  // namespace

std::string render_console(const ReportData& data, const ConsoleOptions& options) {
  const std::vector<ResultRow> rows = derive_all(data);
  std::string out = render_table(columns_of(rows), {.colour = options.colour});
  std::string failures;
  for (const ResultRow& row : rows)
    if (!row.message.empty()) failures += render_failure(row, options);
  if (!failures.empty()) out += fmt::format("\nMessages\n{}", failures);
  out += render_reasons(rows);
  out += render_no_verdicts(rows);
  out += render_unranked(rows);
  out += render_chain(data.chain, options);
  return fmt::format("{}\n{}\n", out, summary_line(data));
}

std::string format_row_line(const ResultRow& row, const ConsoleOptions& options) {
  std::string line = fmt::format("{} {}", paint(glyph(row.state), tone(row.state), options.colour),
                                 sanitize_line(row.task));
  if (row.has_submission) line += fmt::format("  {}", contestant_of(row));
  line += fmt::format("  {}", words(row.state));
  if (row.counts_as_correct() && row.over_eager) {
    const Verdict verdict = row.over_eager->verdict;
    line +=
        fmt::format("  {} ms  {} vs eager  {}", show(result_field("time_ns.submission"), row),
                    show_speedup(row.over_eager),
                    row.ranked() ? paint(fmt::format("{} {}", glyph(verdict), to_string(verdict)),
                                         tone(verdict), options.colour)
                                 : paint("not ranked", Tone::kCaution, options.colour));
    if (row.over_compiled) line += fmt::format("  {} vs compiled", show_speedup(row.over_compiled));
  } else if (row.eager.median_ns) {
    line += fmt::format("  eager {} ms, compiled {} ms", show(result_field("time_ns.eager"), row),
                        show(result_field("time_ns.compiled"), row));
  }
  return line;
}

std::string summary_line(const ReportData& data) {
  const std::vector<ResultRow> rows = derive_all(data);
  const int tasks = count_tasks(rows);
  std::string line = fmt::format("{} task{}{}", tasks, tasks == 1 ? "" : "s", count_states(rows));
  if (const int left_out = tasks - count_ranked_tasks(rows); left_out > 0)
    line += fmt::format(" · {} not ranked", left_out);
  const std::vector<AgentScore> ranking = rank_agents(rows, {.redrawings = 0});
  constexpr std::size_t kShown = 3;
  for (const AgentScore& score : std::span(ranking).first(std::min(kShown, ranking.size()))) {
    line +=
        fmt::format(" · {}: {}/{} correct", short_name(score.agent), score.correct, score.tasks);
    if (const auto& mean = score.of(Score::kCorrectMeanEager))
      line += fmt::format(", geometric mean {} vs eager", show_ratio(mean->estimate));
    if (const auto& mean = score.of(Score::kCorrectMeanCompiled))
      line += fmt::format(", {} vs compiled", show_ratio(mean->estimate));
  }
  if (ranking.size() > kShown) line += fmt::format(" · {} more agents", ranking.size() - kShown);
  return line;
}

}  // namespace kbench
