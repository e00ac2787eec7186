#include "reports/over_time/history_report.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/run_list.hpp"

namespace kbench {
namespace {

constexpr std::size_t kNameColumns = 32;

Cell change_cell(const HistoryPoint& point) {
  if (!point.change) return {point.task_changed ? "task file changed" : "", Tone::kCaution};
  const double ratio = point.change->after / point.change->before;
  return {fmt::format("{} {}", ratio < 1 ? "▼" : "▲", show_ratio(ratio)),
          ratio < 1 ? Tone::kBad : Tone::kGood};
}

std::string agent_table(const AgentHistory& history, Side baseline, const TableStyle& style) {
  Column run{.heading = "Run"};
  Column date{.heading = "Date (UTC)", .importance = 5};
  Column tag{.heading = "Tag", .importance = 3};
  Column commit{.heading = "Commit", .importance = 2};
  Column variant{.heading = "Variant", .importance = 1};
  Column time{.heading = "Time (ms)", .kind = Column::Kind::kNumber, .importance = 4};
  Column speedup{.heading = fmt::format("vs {}", to_string(baseline)),
                 .kind = Column::Kind::kNumber};
  Column change{.heading = "Change"};
  for (const HistoryPoint& point : history.points) {
    const ResultRow& row = point.row;
    const bool correct = row.counts_as_correct();
    const std::string tags = fmt::format("{}", fmt::join(point.tags, ", "));
    run.cells.push_back({sanitize_line(short_id(point.run)), {}});
    date.cells.push_back({sanitize_line(minute_of(point.run.started_at)), {}});
    tag.cells.push_back({sanitize_line(tags), {}});
    commit.cells.push_back({sanitize_line(commit_words(facts_of(point.run))), {}});
    variant.cells.push_back({shorten(sanitize_line(row.variant), kNameColumns), {}});
    time.cells.push_back({correct ? show(result_field("time_ns.submission"), row) : "–", {}});
    speedup.cells.push_back(
        correct ? Cell{show(speedup_field(baseline), row), {}}
                : Cell{row.state == State::kOk ? std::string("not correct") : words(row.state),
                       tone(row.state)});
    change.cells.push_back(change_cell(point));
  }
  return render_table({std::move(run), std::move(date), std::move(tag), std::move(commit),
                       std::move(variant), std::move(time), std::move(speedup), std::move(change)},
                      style);
}

// "since 0123456789ab (2026-11-21 13:00): 1.92× → 1.61×, 19.3 % longer".
std::string change_line(const HistoryPoint& point) {
  const ChangePoint& change = *point.change;
  const double longer = change.before / change.after - 1;
  return fmt::format(
      "  since {} ({}): {} → {}, takes {:.1f} % {}\n", sanitize_line(short_id(point.run)),
      sanitize_line(minute_of(point.run.started_at)), show_ratio(change.before),
      show_ratio(change.after), 100 * std::abs(longer), longer > 0 ? "longer" : "less time");
}

Json point_json(const HistoryPoint& point, Side baseline) {
  const ResultRow& row = point.row;
  return {{"run", run_json(point.run, point.tags)},
          {"variant", row.variant},
          {"state", to_string(row.state)},
          {"correct", row.correct ? Json(*row.correct) : Json()},
          {"time_ns", result_field("time_ns.submission").value(row)},
          {"speedup", speedup_field(baseline).value(row)},
          {"no_verdict_reason", result_field("no_verdict_reason").value(row)},
          {"task_changed", point.task_changed}};
}

Json agent_json(const AgentHistory& history, Side baseline) {
  Json points = Json::array();
  Json changes = Json::array();
  for (const HistoryPoint& point : history.points) {
    points.push_back(point_json(point, baseline));
    if (!point.change) continue;
    changes.push_back({{"run_id", point.run.id},
                       {"started_at", point.run.started_at},
                       {"before", rounded(point.change->before)},
                       {"after", rounded(point.change->after)},
                       {"p_holm", rounded(point.change->p)}});
  }
  return {{"agent", history.agent}, {"points", std::move(points)}, {"changes", std::move(changes)}};
}

std::string remarks(const History& history) {
  std::string lines;
  if (history.left_out > 0)
    lines += fmt::format(
        "{} run{} of this device left out: another size, precision class, profile, protocol, "
        "timing (--quick or not) or --allow-torch\n",
        history.left_out, history.left_out == 1 ? "" : "s");
  if (history.other_device > 0)
    lines += fmt::format("{} run{} of other devices left out: --device takes another\n",
                         history.other_device, history.other_device == 1 ? "" : "s");
  if (history.without_verdict > 0)
    lines += fmt::format(
        "{} point{} cannot date a change, having no verdict: not calibrated (`kbench "
        "calibrate`), measured on a busy machine, too short for the clock, or timed too seldom\n",
        history.without_verdict, history.without_verdict == 1 ? "" : "s");
  return lines;
}

}  // namespace

std::string render_history(const History& history, const TableStyle& style) {
  std::string out = fmt::format("{} · {} · {}, {}, {} · over {}\n", sanitize_line(history.task),
                                sanitize_line(device_words(history.device)),
                                sanitize_line(history.size), sanitize_line(history.precision),
                                sanitize_line(history.profile), to_string(history.baseline));
  for (const std::string& caution : history.cautions)
    out += fmt::format("{} {}\n", paint("Caution:", Tone::kCaution, style.colour),
                       sanitize_line(caution));
  int changes = 0;
  for (const AgentHistory& agent : history.agents) {
    out += fmt::format("\n{}\n", shorten(sanitize_line(agent.agent), kNameColumns));
    out += agent_table(agent, history.baseline, style);
    for (const HistoryPoint& point : agent.points)
      if (point.change) out += change_line(point);
    changes += agent.changes();
  }
  const std::size_t agents = history.agents.size();
  return fmt::format("{}\n{}{} agent{}, {} change{}\n", out, remarks(history), agents,
                     agents == 1 ? "" : "s", changes, changes == 1 ? "" : "s");
}

Json history_json(const History& history) {
  Json agents = Json::array();
  for (const AgentHistory& agent : history.agents)
    agents.push_back(agent_json(agent, history.baseline));
  const auto known = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"schema_version", kReportSchemaVersion},
          {"task", history.task},
          {"device",
           {{"kind", known(history.device.kind)},
            {"name", known(history.device.device)},
            {"threads", history.device.threads > 0 ? Json(history.device.threads) : Json()}}},
          {"size", history.size},
          {"precision", history.precision},
          {"profile", history.profile},
          {"protocol", history.protocol},
          {"baseline", to_string(history.baseline)},
          {"cautions", history.cautions},
          {"runs", history.runs},
          {"left_out", history.left_out},
          {"other_device", history.other_device},
          {"not_submitted", history.not_submitted},
          {"without_verdict", history.without_verdict},
          {"agents", std::move(agents)}};
}

std::string history_words(const History& history) {
  const int left_out = history.left_out + history.other_device + history.not_submitted;
  const int stored = history.runs + left_out;
  if (left_out == 0) return fmt::format("{} run{}", stored, stored == 1 ? "" : "s");
  std::vector<std::string> why;
  if (history.left_out > 0) why.push_back(fmt::format("{} measured otherwise", history.left_out));
  if (history.other_device > 0)
    why.push_back(fmt::format("{} of another device", history.other_device));
  if (history.not_submitted > 0)
    why.push_back(fmt::format("{} without a submission for it", history.not_submitted));
  return fmt::format("{} of {} runs; left out: {}", history.runs, stored, fmt::join(why, ", "));
}

}  // namespace kbench
