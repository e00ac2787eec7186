#include "reports/page/trend_json.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// Nine digits: rounded once more for the eye, they give what the row's own number gives. Of five,
// one in a thousand did not.
Json short_number(double value) {
  if (!std::isfinite(value) || value == 0) return value == 0 ? Json(0) : Json();
  const double scale = std::pow(10, 8 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json point_json(const TrendPoint& point) {
  if (!point.speedup) return {point.run, sanitize_line(point.state)};
  return {point.run, short_number(point.speedup->estimate), short_number(point.speedup->low),
          short_number(point.speedup->high)};
}

Json series_json(const TrendSeries& series, std::size_t task, std::size_t agent) {
  Json points = Json::array();
  Json unsure = Json::array();
  Json renewed = Json::array();
  Json changes = Json::array();
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const TrendPoint& point = series.points[i];
    points.push_back(point_json(point));
    if (point.speedup && point.speedup->verdict == Verdict::kNone) unsure.push_back(i);
    if (i > 0 && point.task_hash != series.points[i - 1].task_hash) renewed.push_back(i);
  }
  for (const TrendChange& change : series.changes)
    changes.push_back({change.point, short_number(change.before), short_number(change.after)});
  return {{"task", task},
          {"agent", agent},
          {"points", std::move(points)},
          {"unsure", std::move(unsure)},
          {"renewed", std::move(renewed)},
          {"changes", std::move(changes)}};
}

}  // namespace

Json trend_runs_json(const Trend& trend) {
  Json runs = Json::array();
  for (const TrendRun& run : trend.runs)
    runs.push_back({sanitize_line(short_id(run.id)), sanitize_line(run.started_at),
                    sanitize_line(fmt::format("{}", fmt::join(run.tags, ", "))),
                    sanitize_line(run.commit)});
  return {{"runs", std::move(runs)}, {"older", trend.older}};
}

Json trend_series_json(const Trend& trend, const PageBoard& board) {
  std::map<std::string, std::size_t> tasks;
  std::map<std::string, std::size_t> agents;
  for (std::size_t i = 0; i < board.tasks.size(); ++i) tasks.emplace(board.tasks[i].task, i);
  for (std::size_t i = 0; i < board.agents.size(); ++i) agents.emplace(board.agents[i], i);
  Json all = Json::array();
  for (const TrendSeries& series : trend.series) {
    const auto task = tasks.find(series.task);
    const auto agent = agents.find(series.agent);
    if (task == tasks.end() || agent == agents.end() || series.device != board.device ||
        series.precision != board.precision || series.profile != board.profile ||
        series.size != board.size || series.protocol != board.protocol)
      continue;
    all.push_back(series_json(series, task->second, agent->second));
  }
  return all;
}

}  // namespace kbench
