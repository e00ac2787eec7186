// Blobs and trees as they lie in the database. Inside runner/store only, within the transaction of
// the caller. All throw SQLite::Exception; what cannot be ours is SQLITE_CORRUPT.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <SQLiteCpp/Statement.h>

#include "runner/core/evaluation.hpp"
#include "runner/store/blob.hpp"
#include "runner/store/passive.hpp"

namespace kbench {

// Those that are there already stay as they are.
void put_blobs(SQLite::Database& database, std::span<const Blob> blobs);

// The tree of the evaluation's sources. False where it or its task's source names a blob that is
// not there, or is not what its hash says.
[[nodiscard]] bool put_tree(SQLite::Database& database, const Evaluation& evaluation);

// Trees, each of which is read once however many rows name it.
class TreeReader {
 public:
  TreeReader(SQLite::Database& database, WorkBudget& budget);
  // The files of the tree of that hash, sorted by path; none for the empty hash.
  const std::vector<TreeFile>& read(const std::string& hash);

 private:
  std::vector<TreeFile> read_rows(const std::string& hash);

  SQLite::Statement rows_;
  WorkBudget& budget_;
  std::map<std::string, std::vector<TreeFile>> known_;
};

// Those of these hashes; throws where one is missing or is not what its hash says.
[[nodiscard]] std::vector<Blob> read_blobs(SQLite::Database& database,
                                           const std::set<std::string>& hashes, WorkBudget& budget);

// Removes what no evaluation names any more.
void remove_unnamed_sources(SQLite::Database& database);

// As Store::contents.
[[nodiscard]] std::map<std::string, std::string> read_contents(SQLite::Database& database,
                                                               std::span<const std::string> hashes,
                                                               std::size_t most_bytes,
                                                               WorkBudget& budget);

}  // namespace kbench
