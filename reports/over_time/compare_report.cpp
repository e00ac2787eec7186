#include "reports/over_time/compare_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/run_list.hpp"
#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

constexpr std::array kChanges{Change::kNowFails,  Change::kGone, Change::kSlower,
                              Change::kUndecided, Change::kNew,  Change::kNowPasses,
                              Change::kFaster,    Change::kSame};
constexpr std::size_t kNameColumns = 32;

std::string or_nothing(const std::string& text) {
  return text.empty() ? std::string("unknown") : sanitize_line(text);
}

std::string run_line(const char* which, const ComparedRun& compared) {
  const RunFacts facts = facts_of(compared.run);
  std::string line = fmt::format("{:<7} {}  {}", which, sanitize_line(short_id(compared.run)),
                                 sanitize_line(minute_of(compared.run.started_at)));
  if (!compared.tags.empty())
    line += "  " + sanitize_line(fmt::format("{}", fmt::join(compared.tags, ", ")));
  if (const auto device = device_words(facts); !device.empty())
    line += "  " + sanitize_line(device);
  if (const auto commit = commit_words(facts); !commit.empty())
    line += "  commit " + sanitize_line(commit);
  return line + "\n";
}

// The change as a speed-up is shown: above 1 it became faster.
std::string show_change(const std::optional<LogChange>& ratio) {
  if (!ratio) return "–";
  Speedup shown;
  shown.estimate = std::exp(ratio->estimate);
  shown.low = std::exp(ratio->low);
  shown.high = std::exp(ratio->high);
  shown.confidence = 0.95;
  return show_speedup(shown);
}

std::string show_side(const std::optional<ResultRow>& row, Side baseline) {
  if (!row || !row->counts_as_correct()) return "–";
  return show_speedup(row->over(baseline));
}

std::string source_words(const ComparedRow& row) {
  if (!row.before || !row.after) return "–";
  return row.same_source ? "same" : "changed";
}

// Facts about all rows that the words on one of them need, counted once.
struct AllRows {
  std::size_t judged = 0;       // by their ratio: the correction is over these
  bool measured_again = false;  // some of them
};

AllRows count_all(const std::vector<ComparedRow>& rows) {
  AllRows all;
  for (const ComparedRow& row : rows) {
    if (row.corrected_p) ++all.judged;
    all.measured_again |= row.pairs > 0;
  }
  return all;
}

// Words on what another measurement did, or would do, of a row that has the ratio of the two runs.
std::string remeasuring_words(const AllRows& all, const ComparedRow& row) {
  if (all.measured_again)
    return row.same_source ? "; its source is unchanged, and was not measured again"
                           : "; it was not measured again";
  return row.same_source ? "; its source is unchanged, so that --remeasure does not time it again"
                         : ": `kbench compare --remeasure` times both sources side by side";
}

std::string scatter_words(const ComparedRow& row, const std::string& margin) {
  const std::string more =
      row.pairs < kMostComparedPairs
          ? fmt::format("more pairs (--pairs {}), or a machine with nothing else to do, may",
                        std::clamp(2 * row.pairs, 5, kMostComparedPairs))
          : "a machine with nothing else to do may";
  return fmt::format("{} pairs scatter too much to tell a change of {} from chance: {}", row.pairs,
                     margin, more);
}

// Why a row with a ratio is undecided all the same: the number of rows, or its interval.
std::string undecided_words(const AllRows& all, const ComparedRow& row) {
  if (row.ratio->p <= kLevelOfDoubt && row.corrected_p.value_or(0) > kLevelOfDoubt)
    return fmt::format(
        "not significant among {} rows (Holm's correction), although it would be alone",
        all.judged);
  const std::string margin = fmt::format("{:g} %", 100 * same_margin(row.after->device));
  if (row.pairs > 0) return scatter_words(row, margin);
  return fmt::format("the interval is too wide to tell a change of {} from chance{}", margin,
                     remeasuring_words(all, row));
}

std::string reason_of(const AllRows& all, const ComparedRow& row) {
  const bool by_ratio = row.change == Change::kUndecided && row.ratio && row.after;
  return row.reason.empty() && by_ratio ? undecided_words(all, row) : row.reason;
}

// A ratio of the two runs beside ratios of new pairs.
bool is_stored(const AllRows& all, const ComparedRow& row) {
  return row.ratio && row.pairs == 0 && all.measured_again;
}

std::string note_of(const AllRows& all, const ComparedRow& row) {
  std::string note = row.reason;
  if (is_stored(all, row) && note.empty())
    note = row.same_source ? "source unchanged, not measured again" : "not measured again";
  // "Undecided because" below the table has these reasons in full.
  if (row.change == Change::kUndecided && !reason_of(all, row).empty()) note = "reason below";
  if (row.pairs > 0) note = fmt::format("measured again, {} pairs", row.pairs);
  if (!row.same_task) note += note.empty() ? "task file changed" : "; task file changed";
  return sanitize_line(note);
}

std::string rows_table(const Comparison& comparison, const std::vector<const ComparedRow*>& rows,
                       const TableStyle& style) {
  Column change{.heading = "Change"};
  Column task{.heading = "Task"};
  Column contestant{.heading = "Submission"};
  // The sides are of the two runs, also where the ratio is not.
  const AllRows all = count_all(comparison.rows);
  Column ratio{.heading = "Speed after/before", .kind = Column::Kind::kNumber};
  const std::string over =
      fmt::format("{}vs {} ", all.measured_again ? "Stored: " : "", to_string(comparison.baseline));
  Column before{.heading = over + "before", .kind = Column::Kind::kNumber, .importance = 3};
  Column after{.heading = over + "after", .kind = Column::Kind::kNumber, .importance = 4};
  Column source{.heading = "Source", .importance = 2};
  Column note{.heading = "Note", .importance = 1};
  for (const ComparedRow* row : rows) {
    change.cells.push_back(
        {fmt::format("{} {}", glyph(row->change), to_string(row->change)), tone(row->change)});
    task.cells.push_back({sanitize_line(row->task), {}});
    contestant.cells.push_back({shorten(sanitize_line(row->contestant()), kNameColumns), {}});
    ratio.cells.push_back({(is_stored(all, *row) ? "stored " : "") + show_change(row->ratio), {}});
    before.cells.push_back({show_side(row->before, comparison.baseline), {}});
    after.cells.push_back({show_side(row->after, comparison.baseline), {}});
    source.cells.push_back({source_words(*row), {}});
    note.cells.push_back({note_of(all, *row), {}});
  }
  return render_table({std::move(change), std::move(task), std::move(contestant), std::move(ratio),
                       std::move(before), std::move(after), std::move(source), std::move(note)},
                      style);
}

std::string section(const std::string& heading, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("{}\n{}\n", heading, lines);
}

std::string caution_lines(const std::vector<std::string>& cautions) {
  std::string lines;
  for (const std::string& caution : cautions)
    lines += fmt::format("  {}\n", sanitize_line(caution));
  return lines;
}

std::string undecided_lines(const Comparison& comparison) {
  std::map<std::string, int> reasons;
  const AllRows all = count_all(comparison.rows);
  for (const ComparedRow& row : comparison.rows)
    if (row.change == Change::kUndecided)
      if (const std::string reason = reason_of(all, row); !reason.empty()) ++reasons[reason];
  std::string lines;
  for (const auto& [reason, rows] : reasons)
    lines += fmt::format("  {} ({} row{})\n", sanitize_line(reason), rows, rows == 1 ? "" : "s");
  return lines;
}

std::string left_out_line(const Comparison& comparison) {
  const auto count = [](int submissions, const char* which, const char* other) {
    return submissions == 0 ? std::string()
                            : fmt::format(
                                  "left out: {} submission{} of the run {}, which the run "
                                  "{} was not asked for\n",
                                  submissions, submissions == 1 ? "" : "s", which, other);
  };
  return count(comparison.left_out_before, "before", "after") +
         count(comparison.left_out_after, "after", "before");
}

// A change of nobody's: the same source twice, and nothing to tell of it.
bool is_unchanged(const ComparedRow& row) {
  return row.change == Change::kUndecided && row.before && row.after && row.same_source;
}

// Rows of an unchanged source that are not listed; few of them are.
std::size_t count_folded(const Comparison& comparison) {
  constexpr std::ptrdiff_t kFew = 20;
  const auto unchanged =
      std::count_if(comparison.rows.begin(), comparison.rows.end(), is_unchanged);
  return unchanged > kFew ? static_cast<std::size_t>(unchanged) : 0;
}

std::vector<const ComparedRow*> listed_rows(const Comparison& comparison, bool all) {
  const bool folds = count_folded(comparison) > 0;
  std::vector<const ComparedRow*> listed;
  for (const ComparedRow& row : comparison.rows)
    if (all || (row.change != Change::kSame && !(folds && is_unchanged(row))))
      listed.push_back(&row);
  return listed;
}

// " · geometric mean 1.02× over 12 rows": the change of all that have a ratio, whatever was
// decided.
std::string mean_words(const Comparison& comparison) {
  double sum = 0;
  int rows = 0;
  for (const ComparedRow& row : comparison.rows) {
    if (!row.ratio) continue;
    sum += row.ratio->estimate;
    ++rows;
  }
  return rows < 2 ? ""
                  : fmt::format(" · geometric mean {} over {} rows",
                                show_ratio(std::exp(sum / rows)), rows);
}

std::string summary(const Comparison& comparison, bool all) {
  std::vector<std::string> parts;
  for (const Change change : kChanges) {
    const int rows = comparison.count(change);
    if (rows == 0) continue;
    std::string part = fmt::format("{} {}", rows, to_string(change));
    if (change == Change::kSame && comparison.fails_in_both() > 0)
      part += fmt::format(", {} of them failing in both", comparison.fails_in_both());
    if (change == Change::kSame && !all) part += " (--all lists them)";
    if (const auto folded = count_folded(comparison);
        change == Change::kUndecided && folded > 0 && !all)
      part += fmt::format(" ({} of them of an unchanged source: --all lists these)", folded);
    parts.push_back(std::move(part));
  }
  const std::size_t rows = comparison.rows.size();
  return fmt::format("{} submission{}: {}{}", rows, rows == 1 ? "" : "s", fmt::join(parts, " · "),
                     mean_words(comparison));
}

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& one : differences)
    list.push_back({{"what", one.what}, {"before", one.before}, {"after", one.after}});
  return list;
}

Json side_json(const std::optional<ResultRow>& row, Side baseline) {
  if (!row) return nullptr;
  Json side = Json::object();
  for (const char* name : {"state", "fault", "correct", "message", "no_verdict_reason"})
    side[name] = result_field(name).value(*row);
  side["speedup"] = speedup_field(baseline).value(*row);
  side["time_ns"] = result_field("time_ns.submission").value(*row);
  return side;
}

Json ratio_json(const ComparedRow& row) {
  if (!row.ratio) return nullptr;
  return {{"estimate", rounded(std::exp(row.ratio->estimate))},
          {"low", rounded(std::exp(row.ratio->low))},
          {"high", rounded(std::exp(row.ratio->high))},
          {"p", rounded(row.ratio->p)},
          {"p_holm", row.corrected_p ? rounded(*row.corrected_p) : Json()}};
}

Json row_json(const AllRows& all, const ComparedRow& row, Side baseline) {
  const std::string reason = reason_of(all, row);
  const bool both = row.before && row.after;
  return {{"task", row.task},
          {"agent", row.agent},
          {"variant", row.variant},
          {"change", to_string(row.change)},
          {"reason", reason.empty() ? Json() : Json(reason)},
          {"ratio", ratio_json(row)},
          {"pairs", row.pairs},
          {"source_changed", both ? Json(!row.same_source) : Json()},
          {"task_changed", both ? Json(!row.same_task) : Json()},
          {"before", side_json(row.before, baseline)},
          {"after", side_json(row.after, baseline)}};
}

}  // namespace

std::string difference_lines(const std::vector<Difference>& differences) {
  std::string lines;
  for (const Difference& one : differences)
    lines +=
        fmt::format("  {}: {} → {}\n", one.what, or_nothing(one.before), or_nothing(one.after));
  return lines;
}

std::string render_compare(const Comparison& comparison, bool all, const TableStyle& style) {
  std::string out = run_line("before", comparison.before) + run_line("after", comparison.after);
  out += "\n";
  out += section(paint("Compared although these differ (--force)", Tone::kBad, style.colour),
                 difference_lines(comparison.incomparable));
  out += section(paint("Changed around the kernels", Tone::kCaution, style.colour),
                 difference_lines(comparison.environment));
  out +=
      section(paint("Caution", Tone::kCaution, style.colour), caution_lines(comparison.cautions));
  const auto listed = listed_rows(comparison, all);
  if (!listed.empty()) out += rows_table(comparison, listed, style) + "\n";
  out += section("Undecided because", undecided_lines(comparison));
  return out + left_out_line(comparison) + summary(comparison, all) + "\n";
}

Json compare_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (const Change change : kChanges)
    counts[std::string(to_string(change))] = comparison.count(change);
  Json rows = Json::array();
  const AllRows all = count_all(comparison.rows);
  for (const ComparedRow& row : comparison.rows)
    rows.push_back(row_json(all, row, comparison.baseline));
  return {
      {"schema_version", kReportSchemaVersion},
      {"before", run_json(comparison.before.run, comparison.before.tags)},
      {"after", run_json(comparison.after.run, comparison.after.tags)},
      {"baseline", to_string(comparison.baseline)},
      {"incomparable", differences_json(comparison.incomparable)},
      {"environment", differences_json(comparison.environment)},
      {"cautions", comparison.cautions},
      {"counts", std::move(counts)},
      {"left_out", {{"before", comparison.left_out_before}, {"after", comparison.left_out_after}}},
      {"rows", std::move(rows)}};
}

std::string offence_words(const ComparedRow& row) {
  const std::string who = fmt::format("{} of {}", sanitize_line(row.task),
                                      shorten(sanitize_line(row.contestant()), kNameColumns));
  if (row.change == Change::kSlower)
    return fmt::format("{} takes {:.1f} % longer", who, 100 * row.longer_by().value_or(0));
  if (row.change == Change::kUndecided) return fmt::format("{} is UNDECIDED", who);
  return fmt::format("{} {}", who, row.change == Change::kGone ? "is gone" : "now fails");
}

}  // namespace kbench
