// Episodes of agents, a line each: which task, which model, how it ended, and what its last
// submission came to. The rule for an episode's reward is here once, for lists, exports
// and pages.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/reward/reward.hpp"
#include "runner/trajectory/episode.hpp"

namespace kbench {

class Store;

// The row of that key in a run; null for the empty key, and where there is none.
using FindRow =
    std::function<Result<const ResultRow*>(const std::string& run_id, const std::string& key)>;

// Rows by run and key, each run read once.
class RowsOfRuns {
 public:
  explicit RowsOfRuns(const Store& store, Trust trust = {}) : store_(store), trust_(trust) {}
  // Errors: those of the store.
  [[nodiscard]] Result<const ResultRow*> find(const std::string& run_id, const std::string& key);
  // The same, to be asked while this lives.
  [[nodiscard]] FindRow finder();

 private:
  const Store& store_;
  Trust trust_;
  std::map<std::string, std::map<std::string, ResultRow>> rows_;
};

// Reward of an episode: its last row's. Where it ended without one, that is the model's fault and
// worth what a failed submission is; unless it is not, or the episode goes on: then it has no
// value.
[[nodiscard]] Reward reward_of_episode(const Episode& head, const ResultRow* row,
                                       const RewardRule& rule);

struct ListedEpisode {
  EpisodeSummary summary;
  std::optional<ResultRow> row;  // the last that it brought
  Reward reward;
};

// Episodes, newest first; of one run, or of all. Errors: those of the store.
[[nodiscard]] Result<std::vector<ListedEpisode>> load_episodes(
    const Store& store, const std::optional<std::string>& run_id, const RewardRule& rule,
    Trust trust = {});

[[nodiscard]] std::string render_episodes(const std::vector<ListedEpisode>& episodes,
                                          const TableStyle& style);
// {schema_version, episodes[]}.
[[nodiscard]] Json episodes_json(const std::vector<ListedEpisode>& episodes);

// {id, run_id, task, size, device, model, sampling, seed, budget, started_at, finished_at,
// stop_reason, state, speedup: {eager, compiled}, reward}; null where there is none.
[[nodiscard]] Json episode_json(const Episode& head, const ResultRow* row, const Reward& reward);

}  // namespace kbench
