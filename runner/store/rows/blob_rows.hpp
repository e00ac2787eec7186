// Blobs and trees as they lie in the database. Inside runner/store only, within the transaction of
// the caller. All throw SQLite::Exception; what cannot be ours is SQLITE_CORRUPT. A blob that is
// damaged is told and not thrown: the rows that name it are as good as they were.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/blob.hpp"

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace kbench {

// True where an exception is the file's fault, and not the reader's or the disk's.
[[nodiscard]] bool is_damage(const SQLite::Exception& exception);

// Stores blobs. Those that are there already stay as they are, unless they are damaged and these
// are not.
void put_blobs(SQLite::Database& database, std::span<const Blob> blobs, WorkBudget& budget);

// The tree of the evaluation's sources. False where it or its task's source names a blob that is
// not there, or is not what its hash says.
[[nodiscard]] bool put_tree(SQLite::Database& database, const Evaluation& evaluation);

// Rows of the tree of that hash. Throws SQLITE_CONSTRAINT where `hash` is not that of the files, or
// one of these is not there.
void put_tree_files(SQLite::Database& database, const std::string& hash,
                    std::span<const TreeFile> files);

// Trees, each of which is read once however many rows name it.
class TreeReader {
 public:
  TreeReader(SQLite::Database& database, WorkBudget& budget);
  // The files of the tree of that hash, sorted by path; none for the empty hash. Where the row of a
  // blob is damaged, the length of the tree's files is unknown: then all have 0 bytes.
  const std::vector<TreeFile>& read(const std::string& hash);

 private:
  std::vector<TreeFile> read_rows(const std::string& hash);
  std::vector<TreeFile> read_by_blobs(const std::string& hash);
  std::vector<TreeFile> read_by_index(const std::string& hash);

  SQLite::Database& database_;
  WorkBudget& budget_;
  std::map<std::string, std::vector<TreeFile>> known_;
};

struct FoundBlobs {
  // A damaged one as it lies there and, where that cannot be read, an empty one, which is damaged
  // as well wherever it is put: nothing else has its hash.
  std::vector<Blob> blobs;
  DamagedBlobs damaged;
};

// Finds a blob for each of these hashes, also for one that is missing.
[[nodiscard]] FoundBlobs find_blobs(SQLite::Database& database, const std::set<std::string>& hashes,
                                    WorkBudget& budget);

// Looks at all blobs, and at those that tasks and prompts name; in whatever schema.
[[nodiscard]] DamagedBlobs find_damaged_blobs(SQLite::Database& database, WorkBudget& budget);

// Removes what no evaluation, no episode and no state names any more. Where a prompt cannot be
// read, no blob goes.
void remove_unnamed_sources(SQLite::Database& database, WorkBudget& budget);

// Texts as Store::readable_contents gives them.
[[nodiscard]] StoredContents read_contents(SQLite::Database& database,
                                           std::span<const std::string> hashes,
                                           std::size_t most_bytes, WorkBudget& budget);

}  // namespace kbench
