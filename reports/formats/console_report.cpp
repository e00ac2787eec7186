#include "reports/formats/console_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/file_names.hpp"
#include "reports/facts/run_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/result_table.hpp"
#include "reports/formats/text_table.hpp"
#include "reports/formats/verdict_card.hpp"
#include "reports/rank/ranking.hpp"
#include "runner/core/file_census.hpp"

namespace kbench {
namespace {

constexpr std::size_t kNameColumns = 32;

std::string short_name(const std::string& name) {
  return shorten(sanitize_line(name), kNameColumns);
}

std::string contestant_of(const ResultRow& row) {
  return row.has_submission ? short_told_apart(row, kNameColumns) : "–";
}

// The message indented, at most `limit` lines; the rest is counted.
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

// The next thing to do about a failure.
std::string step_line(const ResultRow& row) {
  return row.hint.empty() ? "" : fmt::format("      → {}\n", sanitize_line(row.hint));
}

// Stands behind a state that is a failure: the one to blame.
std::string_view behind_state(const ResultRow& row) {
  switch (row.fault) {
    case Fault::kNone: return "";
    case Fault::kSubmission: return " · the submission's fault";
    case Fault::kInfrastructure: return " · kbench's or the machine's fault";
  }
  return "";
}

std::string render_failure(const ResultRow& row, const ConsoleOptions& options) {
  const std::string head =
      fmt::format("  {} {}  {}  {}{}\n", paint(glyph(row.state), tone(row.state), options.colour),
                  sanitize_line(row.task), contestant_of(row),
                  paint(words(row.state), tone(row.state), options.colour), behind_state(row));
  return head + render_message(row.message, options.message_lines) + step_line(row);
}

using RowsByReason = std::map<std::string, std::vector<const ResultRow*>>;

// "level1/019_relu of alice", or how many where one would have to search for none.
std::string which(const std::vector<const ResultRow*>& rows) {
  if (rows.size() > 1) return fmt::format("{} rows", rows.size());
  const ResultRow& row = *rows.front();
  return sanitize_line(row.contestant().empty() ? row.task : row.task + " of " + row.told_apart());
}

// A section of reasons, each with the row that it concerns or their number; nothing without any.
std::string render_reasons_of(std::string_view heading, const RowsByReason& rows) {
  std::string out;
  for (const auto& [reason, concerned] : rows)
    out += fmt::format("  – {} ({})\n", sanitize_line(reason), which(concerned));
  return out.empty() ? out : fmt::format("\n{}\n{}", heading, out);
}

// Whether the row's message, which is shown, tells the same.
bool is_told(const std::string& reason, const ResultRow& row) {
  return !row.message.empty() &&
         (row.message.find(reason) != std::string::npos || reason.starts_with("not measured: "));
}

// Reasons of missing baselines.
std::string render_reasons(const std::vector<ResultRow>& rows) {
  RowsByReason found;
  for (const ResultRow& row : rows) {
    if (!row.timed) continue;
    for (const auto& [side, timing] : {std::pair("eager", row.eager), {"compiled", row.compiled}})
      if (!timing.reason.empty() && !is_told(timing.reason, row))
        found[fmt::format("{}: {}", side, timing.reason)].push_back(&row);
  }
  return render_reasons_of("Not timed", found);
}

// Why speed-ups have no verdict.
std::string render_no_verdicts(const std::vector<ResultRow>& rows) {
  RowsByReason found;
  for (const ResultRow& row : rows)
    if (!row.no_verdict.empty()) found[row.no_verdict_kind].push_back(&row);
  return render_reasons_of("No verdict", found);
}

std::string render_below_floor(const std::vector<ResultRow>& rows) {
  RowsByReason found;
  for (const ResultRow& row : rows)
    if (row.credit.below_floor) found[row.credit.uncredited].push_back(&row);
  return render_reasons_of("Not counted as solved", found);
}

bool nothing_timed(const std::vector<ResultRow>& rows) {
  return !rows.empty() &&
         std::none_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.timed; });
}

// Tasks that count in no score, and submissions that were not judged, each with the reason.
std::string render_unranked(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::string> reasons;
  for (const ResultRow& row : rows)
    if (!row.ranked() && row.timed && row.credit.as_stored)
      reasons.emplace(row.credit.judged ? row.task : row.task + " of " + row.told_apart(),
                      row.credit.unranked);
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

// Files that have no row; each that was meant as a submission is named, as `run` does.
std::string render_files(const ReportData& data, const ConsoleOptions& options) {
  constexpr int kMost = 20;
  const std::optional<Census> census = read_census(data.files);
  if (!census || census->ignored.empty()) return "";
  std::string out = fmt::format("\nFiles: {}\n", census->summary());
  int shown = 0;
  for (const Census::Ignored& file : census->ignored) {
    if (!file.mistaken || ++shown > kMost) continue;
    out += fmt::format("  {} {}: {}\n", paint("✗", Tone::kBad, options.colour),
                       sanitize_line(file.path), sanitize_line(file.why));
  }
  if (shown > kMost) out += fmt::format("  … {} more in the HTML report\n", shown - kMost);
  return out;
}

// "33 of 37 tasks", "3 tasks", "1 task"
std::string number_of_tasks(int some, int all) {
  return some < all ? fmt::format("{} of {} tasks", some, all)
                    : fmt::format("{} task{}", some, some == 1 ? "" : "s");
}

// The mean that ranks, in which a task that is not solved counts as ten times slower, and where it
// differs the one over what is correct, each with the number of its tasks and why it is not all.
std::string means_words(const AgentScore& score, Score of_all, Score of_correct,
                        const LeftOut& left_out, std::string_view baseline) {
  const auto& all = score.of(of_all);
  const auto& correct = score.of(of_correct);
  if (!all || !correct) return "";
  std::string text = fmt::format(", geometric mean {} vs {} over {}", show_ratio(all->estimate),
                                 baseline, number_of_tasks(all->tasks, score.tasks));
  if (correct->tasks < all->tasks) {
    text += fmt::format(" (unsolved: 0.1), {} over ", show_ratio(correct->estimate));
    text += correct->tasks < score.correct
                ? fmt::format("{} of the {} correct", correct->tasks, score.correct)
                : fmt::format("the {} correct", correct->tasks);
  } else if (show_ratio(correct->estimate) != show_ratio(all->estimate)) {
    text += fmt::format(" (outside of 0.1 to 100 counts as the nearer end; {} as measured)",
                        show_ratio(correct->estimate));
  }
  const std::string why = show_left_out(left_out, baseline);
  return why.empty() ? text : fmt::format("{} ({})", text, why);
}

// Words on the chain; empty where it holds.
std::string render_chain(const ChainFinding& chain, const ConsoleOptions& options) {
  if (chain.state == ChainFinding::State::kHolds) return "";
  const bool changed = chain.state == ChainFinding::State::kChanged;
  return fmt::format(
      "\nRows {}: {}\n",
      paint(to_string(chain.state), changed ? Tone::kBad : Tone::kCaution, options.colour),
      sanitize_line(chain.message));
}

std::string card_head(const VerdictCard& card, const ResultRow& row,
                      const ConsoleOptions& options) {
  std::string line = paint(card.state.text, card.state.tone, options.colour);
  line += behind_state(row);
  for (const std::string& number : card.numbers) line += fmt::format(" · {}", number);
  for (const CardBadge& badge : card.badges)
    line += fmt::format("  {}", paint(badge.text, badge.tone, options.colour));
  return fmt::format("{}\n{} · {} · {}\n", line, card.task, shorten(card.submission, kNameColumns),
                     card.place);
}

// A line a fact; on a narrow terminal what is remarked stands below it.
std::string card_facts(const VerdictCard& card, const ConsoleOptions& options) {
  std::size_t names = 0;
  std::size_t values = 0;
  for (const CardFact& fact : card.facts) {
    names = std::max(names, display_width(fact.name));
    values = std::max(values, display_width(fact.value));
  }
  std::string out;
  for (const CardFact& fact : card.facts) {
    const std::string head =
        fmt::format("  {}  {}", pad_right(fact.name, names), pad_right(fact.value, values));
    const std::string remark = paint(fact.remark, fact.tone, options.colour);
    const std::size_t width = display_width(head) + 2 + display_width(fact.remark);
    if (options.columns == 0 || width <= options.columns) {
      append_line(out, fmt::format("{}  {}", head, remark));
      continue;
    }
    append_line(out, head);
    append_line(out, fmt::format("{}{}", std::string(names + 4, ' '), remark));
  }
  return out;
}

std::string card_doubts(const VerdictCard& card, const ConsoleOptions& options) {
  std::string out;
  for (const CardDoubt& doubt : card.doubts) {
    out += fmt::format("\n{}\n", paint(doubt.sentence, Tone::kCaution, options.colour));
    if (!doubt.command.empty()) out += fmt::format("  → {}   ({})\n", doubt.command, doubt.remark);
  }
  return out;
}

std::string render_card(const VerdictCard& card, const ResultRow& row,
                        const ConsoleOptions& options) {
  std::string out = card_head(card, row, options) + "\n" + card_facts(card, options);
  if (!card.message.empty())
    out += fmt::format("\n{}", render_message(card.message, options.message_lines));
  return out + step_line(row) + card_doubts(card, options);
}

std::string render_group(const ReportData& data, const ConsoleOptions& options) {
  std::string out;
  for (const std::string& sentence : group_sentences(data))
    out += fmt::format("  {}\n", sanitize_line(sentence));
  if (out.empty()) return out;
  const std::string heading = is_in_part(*data.group)
                                  ? paint("A part", Tone::kCaution, options.colour)
                                  : std::string("Shards");
  return fmt::format("\n{}\n{}", heading, out);
}

std::string render_rows(const std::vector<ResultRow>& rows, const ConsoleOptions& options) {
  std::string out = render_table(result_columns(rows, kNameColumns),
                                 {.colour = options.colour, .columns = options.columns});
  std::string failures;
  for (const ResultRow& row : rows)
    if (!row.message.empty()) failures += render_failure(row, options);
  if (!failures.empty()) out += fmt::format("\nMessages\n{}", failures);
  out += render_reasons(rows);
  out += render_no_verdicts(rows);
  out += render_below_floor(rows);
  return out + render_unranked(rows);
}

}  // namespace

std::string render_console(const ReportData& data, const ConsoleOptions& options) {
  const std::optional<VerdictCard> card = verdict_card(data);
  const std::vector<ResultRow> rows = derive_all(data);
  std::string out = card ? render_card(*card, rows.front(), options) : render_rows(rows, options);
  out += render_files(data, options);
  out += render_group(data, options);
  out += render_chain(data.chain, options);
  for (const std::string& caution :
       {rerun_words(data.run), unfinished_words(data), calibration_caution(data.run)})
    if (!caution.empty())
      out += fmt::format("\n{}\n", paint(caution, Tone::kCaution, options.colour));
  if (card) return out;
  // Several agents have a line each: a paragraph of all is not read.
  const std::vector<std::string> parts = summary_parts(data);
  return fmt::format("{}\n{}\n", out, fmt::join(parts, parts.size() > 2 ? "\n  " : " · "));
}

std::string format_row_line(const ResultRow& row, const ConsoleOptions& options) {
  std::string line = fmt::format("{} {}", paint(glyph(row.state), tone(row.state), options.colour),
                                 sanitize_line(row.task));
  if (row.has_submission) line += fmt::format("  {}", contestant_of(row));
  line += fmt::format("  {}{}", words(row.state), behind_state(row));
  if (row.credit.below_floor) {
    line += fmt::format("  {}", paint("below the floor", Tone::kCaution, options.colour));
  } else if (row.counts_as_correct() && row.over_eager) {
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
  if (row.vendor.median_ns)
    line += fmt::format("{} vendor {} ms", row.has_submission ? " " : ",",
                        show(result_field("vendor.time_ns"), row));
  return line;
}

std::string summary_line(const ReportData& data) {
  return fmt::format("{}", fmt::join(summary_parts(data), " · "));
}

std::vector<std::string> summary_parts(const ReportData& data) {
  const std::vector<ResultRow> rows = derive_all(data);
  const int tasks = count_tasks(rows);
  std::vector<std::string> parts{
      fmt::format("{} task{}{}", tasks, tasks == 1 ? "" : "s", count_states(rows))};
  if (nothing_timed(rows)) {
    parts.front() += " · checked only, nothing timed: in no score";
    return parts;
  }
  if (const int left_out = tasks - count_ranked_tasks(rows); left_out > 0)
    parts.front() += fmt::format(" · {} not ranked", left_out);
  const std::vector<AgentScore> ranking =
      rank_agents(rows, {.rule = data.variants, .redrawings = 0});
  constexpr std::size_t kShown = 3;
  const bool is_a_part = !rerun_words(data.run).empty();
  for (const AgentScore& score : std::span(ranking).first(std::min(kShown, ranking.size()))) {
    // Tasks that were left out on purpose are not unsolved.
    if (is_a_part) {
      parts.push_back(fmt::format("{}: {} of the {} run again correct", short_name(score.agent),
                                  score.correct, score.submitted));
      continue;
    }
    parts.push_back(fmt::format(
        "{}: {}/{} correct{}{}", short_name(score.agent), score.correct, score.tasks,
        means_words(score, Score::kMeanEager, Score::kCorrectMeanEager, score.left_out[0], "eager"),
        means_words(score, Score::kMeanCompiled, Score::kCorrectMeanCompiled, score.left_out[1],
                    "compiled")));
  }
  if (const std::size_t more = ranking.size() - std::min(kShown, ranking.size()); more > 0)
    parts.push_back(fmt::format("{} more agent{}", more, more == 1 ? "" : "s"));
  return parts;
}

}  // namespace kbench
