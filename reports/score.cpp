#include "reports/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"

namespace kbench {
namespace {

const std::optional<Speedup>& speedup_over(const ResultRow& row, Side baseline) {
  return baseline == Side::kCompiled ? row.over_compiled : row.over_eager;
}

std::optional<double> correct_speedup(const ResultRow& row, Side baseline) {
  const std::optional<Speedup>& speedup = speedup_over(row, baseline);
  if (!row.counts_as_correct() || !speedup) return std::nullopt;
  return speedup->estimate;
}

// Correct before incorrect, timed before untimed, then the faster one.
std::tuple<bool, double> standing(const ResultRow& row) {
  return {row.counts_as_correct(), correct_speedup(row, Side::kEager).value_or(0)};
}

std::vector<ResultRow> ranked_rows(std::span<const ResultRow> rows) {
  std::vector<ResultRow> ranked;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(ranked),
               [](const ResultRow& row) { return row.ranked(); });
  return ranked;
}

std::tuple<double, double> rank_key(const AgentScore& score) {
  return {score.fast_1_eager, score.mean_eager.value_or(0)};
}

}  // namespace

std::string why_unranked(const Evaluation& evaluation, const LintRecord* lint) {
  if (!stands(Defence::kTellingTasks)) return "";
  if (!evaluation.unranked.empty() || lint == nullptr) return evaluation.unranked;
  for (const LintFinding& finding : lint->findings) {
    const bool flaw = finding.weight != LintFinding::Weight::kNote;
    if (flaw && passes_without_inputs(finding.kind))
      return fmt::format("lint passed a submission that computes nothing ({}): {}", finding.kind,
                         finding.message);
  }
  return "";
}

std::optional<double> scored_speedup(const ResultRow& row, Side baseline) {
  return row.ranked() ? correct_speedup(row, baseline) : std::nullopt;
}

int count_tasks(std::span<const ResultRow> rows) {
  std::set<std::pair<std::string, std::string>> tasks;
  for (const ResultRow& row : rows) tasks.emplace(row.task, row.size);
  return static_cast<int>(tasks.size());
}

int count_ranked_tasks(std::span<const ResultRow> rows) { return count_tasks(ranked_rows(rows)); }

std::vector<std::string> agents_of(std::span<const ResultRow> rows) {
  std::set<std::string> agents;
  for (const ResultRow& row : rows)
    if (row.has_submission) agents.insert(row.agent);
  return {agents.begin(), agents.end()};
}

const ResultRow* best_row(std::span<const ResultRow> rows, const std::string& agent,
                          const std::string& task, const std::string& size) {
  const ResultRow* best = nullptr;
  for (const ResultRow& row : rows) {
    if (!row.has_submission || row.agent != agent || row.task != task || row.size != size) continue;
    if (best == nullptr || standing(row) > standing(*best)) best = &row;
  }
  return best;
}

std::vector<const ResultRow*> best_rows(std::span<const ResultRow> rows, const std::string& agent) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<const ResultRow*> best;
  for (const ResultRow& row : rows) {
    if (row.has_submission && row.agent == agent && seen.emplace(row.task, row.size).second)
      best.push_back(best_row(rows, agent, row.task, row.size));
  }
  return best;
}

double fast_p(std::span<const ResultRow* const> best, int tasks, Side baseline, double p) {
  if (tasks <= 0) return 0;
  const auto fast = std::count_if(best.begin(), best.end(), [&](const ResultRow* row) {
    return scored_speedup(*row, baseline).value_or(0) > p;
  });
  return static_cast<double>(fast) / tasks;
}

std::optional<double> geometric_mean(std::span<const ResultRow* const> best, Side baseline) {
  double sum = 0;
  int count = 0;
  for (const ResultRow* row : best) {
    const std::optional<double> ratio = scored_speedup(*row, baseline);
    if (!ratio) continue;
    sum += std::log(*ratio);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

std::vector<AgentScore> rank_agents(std::span<const ResultRow> rows) {
  std::vector<AgentScore> scores;
  const std::vector<ResultRow> ranked = ranked_rows(rows);
  const int tasks = count_tasks(ranked);
  for (const std::string& agent : agents_of(rows)) {
    const std::vector<const ResultRow*> best = best_rows(ranked, agent);
    AgentScore score;
    score.agent = agent;
    score.tasks = tasks;
    score.submitted = static_cast<int>(best.size());
    score.correct = static_cast<int>(std::count_if(
        best.begin(), best.end(), [](const ResultRow* row) { return row->counts_as_correct(); }));
    score.fast_1_eager = fast_p(best, tasks, Side::kEager, 1);
    score.fast_1_compiled = fast_p(best, tasks, Side::kCompiled, 1);
    score.mean_eager = geometric_mean(best, Side::kEager);
    score.mean_compiled = geometric_mean(best, Side::kCompiled);
    scores.push_back(std::move(score));
  }
  std::stable_sort(scores.begin(), scores.end(), [](const AgentScore& a, const AgentScore& b) {
    return rank_key(a) > rank_key(b);
  });
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool tied = i > 0 && rank_key(scores[i]) == rank_key(scores[i - 1]);
    scores[i].rank = tied ? scores[i - 1].rank : static_cast<int>(i) + 1;
  }
  return scores;
}

}  // namespace kbench
