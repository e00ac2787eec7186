#include "runner/store/rows/blob_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/rows/episode_rows.hpp"

namespace kbench {

bool is_damage(const SQLite::Exception& exception) {
  if (dynamic_cast<const BudgetSpent*>(&exception) != nullptr) return false;
  return exception.getErrorCode() == SQLITE_CORRUPT || exception.getErrorCode() == SQLITE_TOOBIG;
}

namespace {

constexpr std::size_t kShownOfAHash = 12;

[[noreturn]] void corrupt(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}

std::string text_at(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  if (!value.isText()) corrupt("a source holds something that is no text");
  return value.getString();
}

std::int64_t bytes_at(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  const std::int64_t bytes = value.isInteger() ? value.getInt64() : -1;
  if (bytes < 0 || bytes > kMostBlobBytes) corrupt("a blob has a size that none can have");
  return bytes;
}

bool has_blob(SQLite::Database& database, const std::string& hash) {
  SQLite::Statement found(database, "SELECT 1 FROM blob WHERE hash = ?");
  found.bind(1, hash);
  return found.executeStep();
}

struct FoundBlob {
  Blob blob;           // the blob as it lies there; unreadable: an empty one of that hash
  std::string text;    // content of a sound blob; else empty
  std::string damage;  // fault of the blob, in words; empty: none
};

// Looks a blob up. `how` is a constant of ours. Nothing where there is none of that hash.
std::optional<Blob> look_up(SQLite::Database& database, const std::string& hash,
                            std::string_view how) {
  SQLite::Statement row(
      database, fmt::format("SELECT bytes, codec, content FROM blob {} WHERE hash = ?", how));
  row.bind(1, hash);
  if (!row.executeStep()) return std::nullopt;
  const SQLite::Column content = row.getColumn(2);
  if (!content.isBlob()) corrupt("it holds something that is no content");
  Blob blob{hash, bytes_at(row, 0), text_at(row, 1), content.getString()};
  if (blob.codec != "raw" && blob.codec != "zstd") corrupt("it is packed in an unknown way");
  return blob;
}

// Finds a text by the index and, where that is damaged, among all rows. Damage is no failure here:
// rows and samples are worth more than the text that they were made of.
FoundBlob find_blob(SQLite::Database& database, const std::string& hash, WorkBudget& budget) {
  FoundBlob found{.blob = {hash, 0, "raw", {}}, .text = {}, .damage = {}};
  for (const std::string_view how : {"", "NOT INDEXED"}) {
    try {
      std::optional<Blob> blob = look_up(database, hash, how);
      found.damage = blob ? "" : fmt::format("blob {} is missing", hash.substr(0, kShownOfAHash));
      if (blob) found.blob = std::move(*blob);
    } catch (const SQLite::Exception& exception) {
      if (!is_damage(exception)) throw;
      found.damage = fmt::format("blob {} cannot be read ({})", hash.substr(0, kShownOfAHash),
                                 exception.what());
    }
    if (found.damage.empty()) break;
  }
  budget.spend(sizeof found + hash.size() + found.blob.content.size());
  if (!found.damage.empty()) return found;
  Result<std::string> text = unpack(found.blob);
  if (text)
    found.text = std::move(*text);
  else
    found.damage = text.error().message;
  return found;
}

// Replaces a stored text that is damaged by this sound one, so that a run does not lose what it
// brings. A trigger forbids UPDATE.
void mend(SQLite::Database& database, const Blob& blob, WorkBudget& budget) {
  if (find_blob(database, blob.hash, budget).damage.empty() || !unpack(blob)) return;
  SQLite::Statement replace(database,
                            "INSERT OR REPLACE INTO blob (number, hash, bytes, codec, content) "
                            "SELECT number, hash, ?, ?, ? FROM blob WHERE hash = ?");
  replace.bind(1, blob.bytes);
  replace.bind(2, blob.codec);
  replace.bind(3, blob.content.data(), static_cast<int>(blob.content.size()));
  replace.bind(4, blob.hash);
  replace.exec();
}

bool is_tree(const std::vector<TreeFile>& files, const std::string& hash) {
  return files.size() <= kMaxSourceFiles && hash_tree(files) == hash;
}

// Stores the rows of a tree; false where the hash is not theirs, or a file is not there.
bool put_rows_of_tree(SQLite::Database& database, const std::string& hash,
                      std::span<const TreeFile> files) {
  if (hash != hash_tree(files)) return false;
  SQLite::Statement insert(database,
                           "INSERT INTO tree (hash, path, blob) VALUES (?, ?, "
                           "(SELECT number FROM blob WHERE hash = ?)) "
                           "ON CONFLICT (hash, path) DO NOTHING");
  for (const TreeFile& file : files) {
    if (!has_blob(database, file.hash)) return false;
    insert.bind(1, hash);
    insert.bind(2, file.path);
    insert.bind(3, file.hash);
    insert.exec();
    insert.reset();
  }
  return true;
}

// Size of each of these texts, by hash. A text whose row is damaged counts as nothing: reading it
// later tells what is wrong with it. Hashes that are not there are left out.
std::vector<std::pair<std::int64_t, std::string>> by_size(SQLite::Database& database,
                                                          std::span<const std::string> hashes) {
  std::vector<std::pair<std::int64_t, std::string>> sizes;
  for (const std::string& hash : std::set<std::string>(hashes.begin(), hashes.end())) {
    try {
      SQLite::Statement size(database, "SELECT bytes FROM blob WHERE hash = ?");
      size.bind(1, hash);
      if (size.executeStep()) sizes.emplace_back(bytes_at(size, 0), hash);
    } catch (const SQLite::Exception& exception) {
      if (!is_damage(exception)) throw;
      sizes.emplace_back(0, hash);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

void put_blobs(SQLite::Database& database, std::span<const Blob> blobs, WorkBudget& budget) {
  SQLite::Statement insert(database,
                           "INSERT INTO blob (hash, bytes, codec, content) VALUES (?, ?, ?, ?) "
                           "ON CONFLICT (hash) DO NOTHING");
  for (const Blob& blob : blobs) {
    insert.bind(1, blob.hash);
    insert.bind(2, blob.bytes);
    insert.bind(3, blob.codec);
    insert.bind(4, blob.content.data(), static_cast<int>(blob.content.size()));
    const bool is_new = insert.exec() > 0;
    insert.reset();
    if (!is_new) mend(database, blob, budget);
  }
}

bool put_tree(SQLite::Database& database, const Evaluation& evaluation) {
  if (!evaluation.task_source.empty() && !has_blob(database, evaluation.task_source)) return false;
  return put_rows_of_tree(database, evaluation.tree_hash, evaluation.sources);
}

void put_tree_files(SQLite::Database& database, const std::string& hash,
                    std::span<const TreeFile> files) {
  if (!put_rows_of_tree(database, hash, files))
    throw SQLite::Exception("a file of a state is missing", SQLITE_CONSTRAINT);
}

TreeReader::TreeReader(SQLite::Database& database, WorkBudget& budget)
    : database_(database), budget_(budget) {}

const std::vector<TreeFile>& TreeReader::read(const std::string& hash) {
  const auto found = known_.find(hash);
  const auto& files =
      found == known_.end() ? known_.emplace(hash, read_rows(hash)).first->second : found->second;
  // Each row that names the file holds a copy.
  for (const TreeFile& file : files) budget_.spend(sizeof file + file.path.size() + hash.size());
  return files;
}

std::vector<TreeFile> TreeReader::read_rows(const std::string& hash) {
  std::vector<TreeFile> files;
  if (hash.empty()) return files;
  try {
    files = read_by_blobs(hash);
    if (is_tree(files, hash)) return files;
  } catch (const SQLite::Exception& exception) {
    if (!is_damage(exception)) throw;
  }
  files = read_by_index(hash);
  // A file of it was added, taken away, renamed, or another blob put in its place.
  if (!is_tree(files, hash))
    corrupt(fmt::format("the files of tree {} are not those that it is named for",
                        hash.substr(0, kShownOfAHash)));
  return files;
}

std::vector<TreeFile> TreeReader::read_by_blobs(const std::string& hash) {
  SQLite::Statement rows(
      database_,
      "SELECT tree.path, blob.hash, blob.bytes FROM tree JOIN blob ON blob.number = tree.blob "
      "WHERE tree.hash = ? ORDER BY tree.path");
  rows.bind(1, hash);
  std::vector<TreeFile> files;
  while (rows.executeStep()) {
    budget_.spend(columns::bytes_of_row(rows));
    files.push_back({text_at(rows, 0), text_at(rows, 1), bytes_at(rows, 2)});
  }
  return files;
}

// The row of a blob may be damaged, and which one that was its index knows as well.
std::vector<TreeFile> TreeReader::read_by_index(const std::string& hash) {
  SQLite::Statement rows(database_, "SELECT path, blob FROM tree WHERE hash = ? ORDER BY path");
  rows.bind(1, hash);
  std::vector<TreeFile> files;
  std::multimap<std::int64_t, std::size_t> places;  // blob's number to the place in `files`
  while (rows.executeStep()) {
    budget_.spend(columns::bytes_of_row(rows));
    places.emplace(rows.getColumn(1).getInt64(), files.size());
    files.push_back({text_at(rows, 0), "", 0});
  }
  SQLite::Statement names(database_, "SELECT number, hash FROM blob ORDER BY hash");
  while (names.executeStep()) {
    const auto [begin, end] = places.equal_range(names.getColumn(0).getInt64());
    for (auto place = begin; place != end; ++place) files[place->second].hash = text_at(names, 1);
  }
  return files;
}

FoundBlobs find_blobs(SQLite::Database& database, const std::set<std::string>& hashes,
                      WorkBudget& budget) {
  FoundBlobs blobs;
  for (const std::string& hash : hashes) {
    FoundBlob found = find_blob(database, hash, budget);
    blobs.blobs.push_back(std::move(found.blob));
    if (!found.damage.empty()) blobs.damaged.emplace(hash, std::move(found.damage));
  }
  return blobs;
}

DamagedBlobs find_damaged_blobs(SQLite::Database& database, WorkBudget& budget) {
  DamagedBlobs damaged;
  if (!database.tableExists("blob")) return damaged;  // a file from before there were any
  std::vector<std::string> hashes;
  SQLite::Statement rows(database,
                         "SELECT hash FROM blob UNION SELECT task_source FROM evaluation "
                         "WHERE task_source <> ''");
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    hashes.push_back(text_at(rows, 0));
  }
  // A prompt that cannot be read is damaged itself, and so among these.
  if (database.tableExists("turn"))
    if (const auto named = texts_of_prompts(database, budget))
      hashes.insert(hashes.end(), named->begin(), named->end());
  for (const std::string& hash : hashes) {
    if (damaged.contains(hash)) continue;
    std::string damage = find_blob(database, hash, budget).damage;
    if (!damage.empty()) damaged.emplace(hash, std::move(damage));
  }
  return damaged;
}

void remove_unnamed_sources(SQLite::Database& database, WorkBudget& budget) {
  database.exec(
      "DELETE FROM tree WHERE hash NOT IN (SELECT tree_hash FROM evaluation) "
      "AND hash NOT IN (SELECT tree FROM state)");
  const auto named = texts_of_prompts(database, budget);
  if (!named) return;  // the texts that it needs are unknown
  SQLite::Statement rows(
      database,
      "SELECT number, hash FROM blob WHERE number NOT IN (SELECT blob FROM tree) "
      "AND hash NOT IN (SELECT task_source FROM evaluation) "
      "AND number NOT IN (SELECT context FROM turn) "
      "AND number NOT IN (SELECT reply FROM turn) "
      "AND number NOT IN (SELECT arguments FROM call) "
      "AND number NOT IN (SELECT result FROM call) "
      "AND number NOT IN (SELECT context FROM state) "
      "AND number NOT IN (SELECT content FROM report) "
      "AND number NOT IN (SELECT plan FROM study) "
      "AND number NOT IN (SELECT plan FROM cell WHERE plan IS NOT NULL) "
      "AND number NOT IN (SELECT reply FROM cell WHERE reply IS NOT NULL)");
  std::vector<std::int64_t> unnamed;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    if (!named->contains(text_at(rows, 1))) unnamed.push_back(rows.getColumn(0).getInt64());
  }
  SQLite::Statement remove(database, "DELETE FROM blob WHERE number = ?");
  for (const std::int64_t number : unnamed) {
    remove.bind(1, number);
    remove.exec();
    remove.reset();
  }
}

StoredContents read_contents(SQLite::Database& database, std::span<const std::string> hashes,
                             std::size_t most_bytes, WorkBudget& budget) {
  StoredContents contents;
  std::size_t total = 0;
  for (const auto& [bytes, hash] : by_size(database, hashes)) {
    total += static_cast<std::size_t>(bytes);
    if (total > most_bytes) break;
    FoundBlob found = find_blob(database, hash, budget);
    if (found.damage.empty())
      contents.texts.emplace(hash, std::move(found.text));
    else
      contents.damaged.emplace(hash, std::move(found.damage));
  }
  return contents;
}

}  // namespace kbench
