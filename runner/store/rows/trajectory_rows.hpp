// The rows of frozen states: nodes with their parents and states, which runs hold them, and what
// components said of them. Inside runner/store only, within the transaction of the caller. All
// throw SQLite::Exception: SQLITE_CONSTRAINT where what is to be written names something that is
// not there, SQLITE_CORRUPT where a stored row is not what its id or its seal says.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runner/store/rows/blob.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// Adds what is not there: states, nodes behind their parents, reports, studies; the run holds the
// nodes from now on. Blobs of texts and files are there already, and so are the run and, for
// studies, its rows. A node's parents are held by the same run.
void put_trajectories(SQLite::Database& database, const std::string& run_id,
                      const Trajectories& trajectories);
// A report that is there already stays as it is.
void put_report(SQLite::Database& database, const StateReport& report);

// All that a run holds, each row held against its id or seal.
[[nodiscard]] Trajectories read_trajectories(SQLite::Database& database, const std::string& run_id,
                                             WorkBudget& budget);

// Nodes in order of insertion; those that a run holds, or all, without files of their states.
[[nodiscard]] std::vector<StoredNode> list_nodes(SQLite::Database& database,
                                                 const std::optional<std::string>& run_id,
                                                 WorkBudget& budget);
// A node, complete. Nothing where there is none of that id.
[[nodiscard]] std::optional<StoredNode> read_node(SQLite::Database& database, const std::string& id,
                                                  WorkBudget& budget);

// Removes nodes that no run holds, states that no node names, and their reports.
void remove_unheld_nodes(SQLite::Database& database);

// Rows that belong to no run, a sentence each.
[[nodiscard]] std::vector<std::string> unheld_rows(SQLite::Database& database);

// Hashes of all texts and files that they name.
[[nodiscard]] std::set<std::string> texts_of(const Trajectories& trajectories);
// Which texts and files are among the damaged ones, a sentence for all of them.
[[nodiscard]] std::vector<std::string> damaged_texts(const Trajectories& trajectories,
                                                     const DamagedBlobs& damaged);

}  // namespace kbench
