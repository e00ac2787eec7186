// Which member is which column: the one list that both writing and reading walk, so that they
// cannot disagree. Inside runner/store only. Names are constants of ours, values are always bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace SQLite {
class Statement;
}

namespace kbench::columns {

// "INSERT INTO table (owner…, columns…) VALUES (?, …)" for the columns of a record.
[[nodiscard]] std::string insert_run();
[[nodiscard]] std::string insert_evaluation();     // a second (run_id, key) changes nothing
[[nodiscard]] std::string insert_check();          // first two parameters: evaluation, position
[[nodiscard]] std::string insert_sample();         // first two parameters: evaluation, position
[[nodiscard]] std::string insert_vendor_sample();  // the same
[[nodiscard]] std::string insert_attempt();        // the same
[[nodiscard]] std::string insert_block();          // the same

// "SELECT columns… FROM table", to be continued with WHERE and ORDER BY. `evaluation` has its
// number as an additional last column; samples are those of both tables.
[[nodiscard]] std::string select_run();
[[nodiscard]] std::string select_evaluation();
[[nodiscard]] std::string select_check();
[[nodiscard]] std::string select_sample();
[[nodiscard]] std::string select_attempt();
[[nodiscard]] std::string select_block();

// Bind every column, starting at parameter `first` (counted from 1).
void bind(SQLite::Statement& statement, const Run& run, int first = 1);
void bind(SQLite::Statement& statement, const Evaluation& evaluation, int first = 1);
void bind(SQLite::Statement& statement, const Check& check, int first);
void bind(SQLite::Statement& statement, const Sample& sample, int first);
void bind(SQLite::Statement& statement, const Attempt& attempt, int first);
void bind(SQLite::Statement& statement, const Block& block, int first);

// Read the row the statement stands on. Throw SQLite::Exception with code SQLITE_CORRUPT where a
// stored value cannot be one of ours.
[[nodiscard]] Run read_run(SQLite::Statement& statement);
[[nodiscard]] Evaluation read_evaluation(SQLite::Statement& statement);
[[nodiscard]] Check read_check(SQLite::Statement& statement);
[[nodiscard]] Sample read_sample(SQLite::Statement& statement);
[[nodiscard]] Attempt read_attempt(SQLite::Statement& statement);
[[nodiscard]] Block read_block(SQLite::Statement& statement);
// Everything that is stored of a record, children included, as one text; equal only for equal
// records, and the same before they are stored and after they are read. For the chain.
[[nodiscard]] std::string text_of(const Run& run);
[[nodiscard]] std::string text_of(const Evaluation& evaluation);
// Size of the texts and blobs in the statement's current row, and some for the row itself.
[[nodiscard]] std::uint64_t bytes_of_row(SQLite::Statement& statement);
// Index of the column after the last one of read_evaluation: the evaluation's number.
[[nodiscard]] int evaluation_number_column();

}  // namespace kbench::columns
