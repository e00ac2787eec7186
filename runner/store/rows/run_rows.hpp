// A run with all that is stored of it, its chain included, as one value: what is read of one file
// and put into another without being changed. Inside runner/store only. All throw
// SQLite::Exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/store/chain/chain.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

struct RunRows {
  Run run;
  std::string chain_key;  // the table's value; empty: the run is not chained
  std::string chain_seal;
  std::int64_t chain_rows = 0;
  std::string night;                    // the table's value; empty: no night looked at the run
  std::vector<Evaluation> evaluations;  // order of insertion
  std::vector<std::string> links;       // link of each evaluation
  std::vector<Episode> episodes;        // order of insertion
  Trajectories trajectories;            // states that it holds, and its studies
  FoundBlobs sources;                   // sources of rows and states, and texts of episodes
};

// The blobs that these rows, episodes and states name, each once.
[[nodiscard]] FoundBlobs find_blobs_of(Connection& connection, const RunRows& rows);

// Damaged texts of episodes and states, a sentence each.
[[nodiscard]] std::vector<std::string> damaged_texts(const RunRows& rows,
                                                     const DamagedBlobs& damaged);

// Which sources of these rows are among the damaged ones, a sentence each.
[[nodiscard]] std::vector<std::string> damaged_sources(const std::vector<Evaluation>& evaluations,
                                                       const DamagedBlobs& damaged);

// The run of that very id, which is there.
[[nodiscard]] RunRows read_run_rows(Connection& connection, const std::string& run_id);

// The run's own row alone, without a night's findings: the one whose column `of` (a constant of
// ours) is `value`. Without an id where there is none.
[[nodiscard]] RunRows read_own_row(SQLite::Database& database, std::string_view of,
                                   const std::string& value);

// Adds a run that is not there yet; to be called inside a transaction.
void insert_run_rows(Connection& connection, const RunRows& rows);

// Findings of a night about the run; empty: no night looked at it.
[[nodiscard]] std::string read_night(SQLite::Database& database, const std::string& run_id,
                                     WorkBudget& budget);
// Replaces it. False without such a run.
bool put_night(SQLite::Database& database, const std::string& run_id, const std::string& findings);

// The difference between two runs of one id, in words; empty if there is none. Later findings about
// a run are none: each of the two may be without them.
[[nodiscard]] std::string difference(const RunRows& a, const RunRows& b);

// Rows below `evaluation` (samples, checks, attempts, blocks) are numbered from 0 without a gap:
// where they are not, some were lost. Says in words which rows the evaluation with that number
// lacks; empty where all are there.
[[nodiscard]] std::string missing_children(SQLite::Database& database, std::int64_t number);
// Rows that evaluations of a run lack, a sentence each.
[[nodiscard]] std::vector<std::string> missing_children(SQLite::Database& database,
                                                        const std::string& run_id);

}  // namespace kbench
