// The rows of an episode, its turns and its calls, written and read together. Inside runner/store
// only, within the transaction of the caller. All throw SQLite::Exception: SQLITE_CONSTRAINT where
// what is to be written names something that is not there, SQLITE_CORRUPT where a stored value
// cannot be one of ours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/store/rows/blob.hpp"
#include "runner/trajectory/episode.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// Tables that hold the rows below an episode, by their column `episode`; children first.
inline constexpr std::array<std::string_view, 2> kTablesOfEpisode = {"call", "turn"};

// The episode's number; nothing where there is none of that id.
[[nodiscard]] std::optional<std::int64_t> find_episode(SQLite::Database& database,
                                                       const std::string& id);

// Inserts the episode's own row, without turns.
void insert_episode(SQLite::Database& database, const Episode& episode);
// Inserts a turn of the episode with that number. The position is the next one; calls come apart.
// Its texts are there already.
void insert_turn(SQLite::Database& database, std::int64_t episode, int position, const Turn& turn,
                 WorkBudget& budget);
void insert_call(SQLite::Database& database, std::int64_t episode, int turn, int position,
                 const ToolCall& call);
// Inserts an episode with all of its turns and calls.
void insert_whole_episode(SQLite::Database& database, const Episode& episode, WorkBudget& budget);

// Episodes whose column `of` (a constant of ours) is `value`, complete, in order of insertion.
[[nodiscard]] std::vector<Episode> read_episodes(SQLite::Database& database, std::string_view of,
                                                 const std::string& value, WorkBudget& budget);
// Episodes, newest first; of one run, or of all.
[[nodiscard]] std::vector<EpisodeSummary> list_episodes(SQLite::Database& database,
                                                        const std::optional<std::string>& run_id,
                                                        WorkBudget& budget);

// The texts that prompts of all episodes name: messages and lists of tools, which no column names.
// Nothing if a prompt cannot be read.
[[nodiscard]] std::optional<std::set<std::string>> texts_of_prompts(SQLite::Database& database,
                                                                    WorkBudget& budget);

// Which texts of these episodes are among the damaged ones, a sentence each.
[[nodiscard]] std::vector<std::string> damaged_texts(const std::vector<Episode>& episodes,
                                                     const DamagedBlobs& damaged);

}  // namespace kbench
