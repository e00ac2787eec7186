// An episode as people follow it: turn by turn what the model said and tried, what came back, and
// what became of the kernels. All texts are somebody else's. Called by `kbench episodes show` and by
// the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/episode_list.hpp"
#include "reports/model.hpp"
#include "reports/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/episode.hpp"

namespace kbench {

class Store;

struct StoryCall {
  std::string tool;
  // Texts as they were; empty where the store has none.
  std::optional<std::string> arguments;
  std::optional<std::string> result;
  CallError error = CallError::kNone;
  std::string tree_before;
  std::string tree_after;
  std::optional<State> state;    // of the kernels, as the result has it
  std::optional<ResultRow> row;  // that it brought
  std::int64_t wall_ms = 0;
};

struct StoryTurn {
  std::optional<std::string> said;  // without its calls; empty where the store has no such text
  std::string finish_reason;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
  int invalid_calls = 0;
  int compacted = 0;
  std::int64_t wall_ms = 0;
  std::vector<StoryCall> calls;
};

struct EpisodeStory {
  Episode head;                  // without turns
  std::optional<ResultRow> row;  // the last that it brought
  Reward reward;
  std::vector<StoryTurn> turns;
};

// Errors: those of the store; what is damaged of its texts is left out.
[[nodiscard]] Result<EpisodeStory> load_story(const Store& store, const std::string& id,
                                              const RewardRule& rule);
// The same of an episode at hand.
[[nodiscard]] Result<EpisodeStory> tell_story(const Episode& episode, const Contents& contents,
                                              RowsOfRuns& rows, const RewardRule& rule);
// What a story needs of an episode's texts, by hash, from the store.
[[nodiscard]] Result<Contents> load_texts(const Store& store, const Episode& episode);

// For a terminal. Without a turn (counted from 1) of each the first lines, else all of that one.
// Errors: kNotFound, without such a turn.
[[nodiscard]] Result<std::string> render_story(const EpisodeStory& story, const TableStyle& style,
                                               std::optional<int> turn);
// {schema_version, ...} of episode_json, and turns[].
[[nodiscard]] Json story_json(const EpisodeStory& story);

}  // namespace kbench
