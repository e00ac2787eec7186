// An episode as people follow it: turn by turn what the model said and tried, what came back, and
// what became of the kernels. All texts are foreign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/episodes/episode_list.hpp"
#include "reports/facts/model.hpp"
#include "reports/formats/text_table.hpp"
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
  std::optional<State> state;      // state of the kernels, as the result has it
  const ResultRow* row = nullptr;  // row that the call brought
  std::int64_t wall_ms = 0;
};

struct StoryTurn {
  std::optional<std::string> said;  // text without its calls; empty: the store has none
  std::string finish_reason;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
  int invalid_calls = 0;
  int compacted = 0;
  std::int64_t wall_ms = 0;
  std::vector<StoryCall> calls;
};

// A told episode. Its rows belong to the owner of `find_row`.
struct EpisodeStory {
  Episode head;                    // the episode without its turns
  const ResultRow* row = nullptr;  // the last that it brought
  Reward reward;
  std::vector<StoryTurn> turns;
};

// Errors: those of looking for rows.
[[nodiscard]] Result<EpisodeStory> tell_story(const StoredEpisode& episode, const FindRow& find_row,
                                              const RewardRule& rule);

// All texts of an episode, but for those that are damaged. Errors: those of the store.
[[nodiscard]] Result<Contents> load_texts(const Store& store, const Episode& episode);
// Only the texts that an episode's story is made of, the shortest first, as many as have so many
// bytes.
[[nodiscard]] Result<Contents> load_story_texts(const Store& store, const Episode& episode,
                                                std::size_t most_bytes);

// The story for a terminal. `turn` (counted from 1): all of that turn; without it the first lines
// of each. Errors: kNotFound, without such a turn.
[[nodiscard]] Result<std::string> render_story(const EpisodeStory& story, const TableStyle& style,
                                               std::optional<int> turn);
// {schema_version, ...} of episode_json, and turns[].
[[nodiscard]] Json story_json(const EpisodeStory& story);

}  // namespace kbench
