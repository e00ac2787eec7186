// The rows of studies and their cells. Inside runner/store only, within the transaction of the
// caller. All throw SQLite::Exception: SQLITE_CONSTRAINT where what is to be written names
// something that is not there, SQLITE_CORRUPT where a stored row is not what its id or its seal
// says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/trajectory/frozen_state.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// A study of a run that is there, without its cells. Its plan's text is there already.
void insert_study(SQLite::Database& database, const std::string& run_id, const std::string& id);
[[nodiscard]] bool has_study(SQLite::Database& database, const std::string& id);

// A new cell, or more of one that is there. Its node is one that the study's run holds.
void put_cell(SQLite::Database& database, const std::string& study, const StateCell& cell);

// The study with its cells; nothing where there is none of that id.
[[nodiscard]] std::optional<StateStudy> read_study(SQLite::Database& database,
                                                   const std::string& id, WorkBudget& budget);
// Studies with their cells, in the order of node, arm, coalition and replicate.
[[nodiscard]] std::vector<StateStudy> read_studies(SQLite::Database& database,
                                                   const std::string& run_id, WorkBudget& budget);

}  // namespace kbench
