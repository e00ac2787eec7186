#include "reports/trend.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reports/model.hpp"
#include "reports/run_facts.hpp"
#include "reports/score.hpp"
#include "runner/analysis/keep.hpp"
#include "runner/core/for_each_index.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// Task and contestant, on a board.
using SeriesKey = std::tuple<std::string, std::string, std::string, std::string, std::string,
                             std::string, std::string, int>;

SeriesKey key_of(const ResultRow& row) {
  return {row.task,    row.ranked_as(), row.device,      row.precision,
          row.profile, row.size,        row.allow_torch, row.protocol};
}

// One run's rows by what they are a point of, as the rule for variants has it.
std::map<SeriesKey, TrendPoint> points_of(const std::vector<Evaluation>& evaluations,
                                          VariantRule rule) {
  std::vector<ResultRow> rows(evaluations.size());
  for_each_index(rows.size(), static_cast<int>(usable_cores().size()),
                 [&](std::size_t i) { rows[i] = derive(evaluations[i]); });
  std::map<SeriesKey, TrendPoint> points;
  // Boards apart: an agent's variants are of one.
  std::map<std::tuple<std::string, std::string, std::string, int>, std::vector<std::size_t>> boards;
  for (std::size_t i = 0; i < rows.size(); ++i)
    boards[{rows[i].device, rows[i].precision, rows[i].profile, rows[i].protocol}].push_back(i);
  for (const auto& [board, indices] : boards) {
    std::vector<ResultRow> own;
    for (const std::size_t i : indices) own.push_back(rows[i]);
    for (const std::string& agent : agents_of(own)) {
      const VariantRule shown = rule == VariantRule::kMean ? VariantRule::kBest : rule;
      for (const Standing& standing : standings(own, agent, shown)) {
        const ResultRow& row = *standing.rows.front();
        const auto place = static_cast<std::size_t>(standing.rows.front() - own.data());
        TrendPoint point;
        if (row.counts_as_correct()) point.speedup = row.over_eager;
        point.state = to_string(row.state);
        point.task_hash = evaluations[indices[place]].task_hash;
        points.emplace(key_of(row), std::move(point));
      }
    }
  }
  return points;
}

// As in a history: correct, timed and with a verdict is what a change is looked for in.
std::vector<TrendChange> changes_of(const std::vector<TrendPoint>& points) {
  std::vector<Speedup> series;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].speedup || points[i].speedup->verdict == Verdict::kNone) continue;
    series.push_back(*points[i].speedup);
    at.push_back(i);
  }
  std::vector<TrendChange> changes;
  for (const ChangePoint& change : find_change_points(series))
    changes.push_back({at[change.first], change.before, change.after});
  return changes;
}

// This run and those before it that are of its device and were timed in the same way; newest first.
std::vector<Run> runs_alike(std::vector<Run> runs, const ReportData& data) {
  const RunFacts own = facts_of(data.run);
  const auto is_later = [&](const Run& run) {
    return std::tie(run.started_at, run.id) > std::tie(data.run.started_at, data.run.id);
  };
  std::erase_if(runs, [&](const Run& run) {
    if (run.id == data.run.id) return false;
    const RunFacts facts = facts_of(run);
    return is_later(run) || facts.quick != own.quick || !same_device(facts, own);
  });
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.started_at, a.id) > std::tie(b.started_at, b.id);
  });
  return runs;
}

// How many rows each run has, without reading them.
Result<std::map<std::string, std::size_t>> row_counts(const Store& store) {
  const auto states = store.state_counts();
  if (!states) return states.error();
  std::map<std::string, std::size_t> counts;
  for (const StateCount& count : *states)
    counts[count.run_id] += static_cast<std::size_t>(count.rows);
  return counts;
}

// The newest of them that the bounds allow; this run is the first and always there.
std::size_t runs_within_bounds(const std::vector<Run>& runs,
                               const std::map<std::string, std::size_t>& counts) {
  std::size_t rows = 0;
  std::size_t taken = 0;
  while (taken < std::min(runs.size(), kMostTrendRuns)) {
    const auto found = counts.find(runs[taken].id);
    rows += found == counts.end() ? 0 : found->second;
    if (taken > 0 && rows > kMostTrendRows) break;
    ++taken;
  }
  return taken;
}

TrendSeries series_of(const SeriesKey& key, std::vector<TrendPoint> points) {
  TrendSeries series;
  std::tie(series.task, series.agent, series.device, series.precision, series.profile, series.size,
           series.allow_torch, series.protocol) = key;
  series.points = std::move(points);
  series.changes = changes_of(series.points);
  return series;
}

}  // namespace

Result<std::optional<Trend>> load_trend(const Store& store, const ReportData& data) {
  auto stored = store.runs();
  if (!stored) return stored.error();
  const auto counts = row_counts(store);
  if (!counts) return counts.error();
  const auto tags = store.tags();
  if (!tags) return tags.error();
  const std::vector<Run> runs = runs_alike(std::move(*stored), data);
  const std::size_t taken = runs_within_bounds(runs, *counts);

  // From the newest to the oldest; what this run does not have is not on its page.
  std::map<SeriesKey, std::vector<TrendPoint>> found;
  for (auto& [key, point] : points_of(data.evaluations, data.variants))
    found[key].push_back(std::move(point));
  std::size_t points = found.size();
  std::size_t used = 1;
  for (; used < taken && points + found.size() <= kMostTrendPoints; ++used) {
    auto evaluations = store.evaluations(runs[used].id);
    if (!evaluations) return evaluations.error();
    for (Evaluation& evaluation : *evaluations) keep(evaluation);
    for (auto& [key, point] : points_of(*evaluations, data.variants)) {
      const auto series = found.find(key);
      if (series == found.end()) continue;
      point.run = used;
      series->second.push_back(std::move(point));
      ++points;
    }
  }

  Trend trend;
  trend.older = runs.size() - used;
  for (std::size_t i = used; i-- > 0;)
    trend.runs.push_back({runs[i].id, runs[i].started_at, tags_of(runs[i].id, *tags),
                          commit_words(facts_of(runs[i]))});
  for (auto& [key, newest_first] : found) {
    if (newest_first.size() < 2) continue;
    std::reverse(newest_first.begin(), newest_first.end());
    for (TrendPoint& point : newest_first) point.run = used - 1 - point.run;
    trend.series.push_back(series_of(key, std::move(newest_first)));
  }
  if (trend.series.empty()) return std::optional<Trend>();
  return std::optional(std::move(trend));
}

}  // namespace kbench
