#include "reports/over_time/loaded_trend.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "reports/facts/run_facts.hpp"
#include "reports/rank/score.hpp"
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

// The rows of one run as points, by the series that each belongs to, as the rule for variants has
// it.
std::map<SeriesKey, TrendPoint> points_of(const std::vector<Evaluation>& evaluations,
                                          VariantRule rule) {
  std::vector<ResultRow> rows(evaluations.size());
  for_each_index(rows.size(), static_cast<int>(usable_cores().size()),
                 [&](std::size_t i) { rows[i] = derive(evaluations[i]); });
  std::map<SeriesKey, TrendPoint> points;
  // Boards are kept apart: an agent's variants are of one.
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

using PointsBySeries = std::map<SeriesKey, std::vector<TrendPoint>>;  // newest first

// Adds points of all runs but the first. A task or an agent that this run does not have is not on
// its page.
Status add_older_points(const Store& store, std::span<const Run> runs, VariantRule rule,
                        PointsBySeries& found) {
  // Reading takes longer than deriving points, and a store is read by one thread at a time.
  std::vector<const Store*> readers{&store};
  const auto second =
      runs.size() > 2 ? Store::open(store.file(), Store::Mode::kReadOnly) : Result<Store>(Error{});
  if (second) readers.push_back(&*second);
  std::vector<std::future<Result<std::vector<Evaluation>>>> reading(runs.size());
  const auto begin_reading = [&](std::size_t i) {
    if (i >= runs.size()) return;
    const Store& from = *readers[i % readers.size()];
    reading[i] =
        std::async(std::launch::async, [&from, &id = runs[i].id] { return from.evaluations(id); });
  };
  for (std::size_t i = 1; i <= readers.size(); ++i) begin_reading(i);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto evaluations = reading[i].get();
    if (!evaluations) return evaluations.error();
    begin_reading(i + readers.size());
    for (Evaluation& evaluation : *evaluations) keep(evaluation);
    for (auto& [key, point] : points_of(*evaluations, rule)) {
      const auto series = found.find(key);
      if (series == found.end()) continue;
      point.run = i;
      series->second.push_back(std::move(point));
    }
  }
  return Done{};
}

// Changes are looked for as in a history: in points that are correct, timed and with a verdict.
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
    return is_later(run) || facts.quick != own.quick || !facts.timed || !same_device(facts, own);
  });
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.started_at, a.id) > std::tie(b.started_at, b.id);
  });
  return runs;
}

// The newest of them that the bounds allow with so many series; this run is the first and always
// there.
Result<std::size_t> runs_within_bounds(const Store& store, const std::vector<Run>& runs,
                                       std::size_t series) {
  const std::size_t most =
      std::min(kMostTrendRuns, kMostTrendPoints / std::max<std::size_t>(series, 1));
  std::size_t rows = 0;
  std::size_t taken = 0;
  while (taken < std::min(runs.size(), most)) {
    const auto own = store.row_count(runs[taken].id);
    if (!own) return own.error();
    rows += *own;
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
  const auto tags = store.tags();
  if (!tags) return tags.error();
  const std::vector<Run> runs = runs_alike(std::move(*stored), data);

  PointsBySeries found;
  for (auto& [key, point] : points_of(data.evaluations, data.variants))
    found[key].push_back(std::move(point));
  const auto bound = runs_within_bounds(store, runs, found.size());
  if (!bound) return bound.error();
  const std::size_t used = *bound;
  if (used == 0) return std::optional<Trend>();  // it was removed just now
  if (auto added = add_older_points(store, std::span(runs).first(used), data.variants, found);
      !added)
    return added.error();

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
