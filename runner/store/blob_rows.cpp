#include "runner/store/blob_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/columns.hpp"

namespace kbench {
namespace {

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

std::string read_content(SQLite::Statement& row, WorkBudget& budget) {
  budget.spend(columns::bytes_of_row(row));
  if (!row.getColumn(3).isBlob()) corrupt("a blob holds something that is none");
  auto text =
      unpack({text_at(row, 0), bytes_at(row, 1), text_at(row, 2), row.getColumn(3).getString()});
  if (!text) corrupt(text.error().message);
  return std::move(*text);
}

}  // namespace

void put_blobs(SQLite::Database& database, std::span<const Blob> blobs) {
  SQLite::Statement insert(database,
                           "INSERT INTO blob (hash, bytes, codec, content) VALUES (?, ?, ?, ?) "
                           "ON CONFLICT (hash) DO NOTHING");
  for (const Blob& blob : blobs) {
    insert.bind(1, blob.hash);
    insert.bind(2, blob.bytes);
    insert.bind(3, blob.codec);
    insert.bind(4, blob.content.data(), static_cast<int>(blob.content.size()));
    insert.exec();
    insert.reset();
  }
}

bool put_tree(SQLite::Database& database, const Evaluation& evaluation) {
  if (evaluation.tree_hash != hash_tree(evaluation.sources)) return false;
  if (!evaluation.task_source.empty() && !has_blob(database, evaluation.task_source)) return false;
  SQLite::Statement insert(database,
                           "INSERT INTO tree (hash, path, blob) VALUES (?, ?, "
                           "(SELECT number FROM blob WHERE hash = ?)) "
                           "ON CONFLICT (hash, path) DO NOTHING");
  for (const TreeFile& file : evaluation.sources) {
    if (!has_blob(database, file.hash)) return false;
    insert.bind(1, evaluation.tree_hash);
    insert.bind(2, file.path);
    insert.bind(3, file.hash);
    insert.exec();
    insert.reset();
  }
  return true;
}

TreeReader::TreeReader(SQLite::Database& database, WorkBudget& budget)
    : rows_(
          database,
          "SELECT tree.path, blob.hash, blob.bytes FROM tree JOIN blob ON blob.number = tree.blob "
          "WHERE tree.hash = ? ORDER BY tree.path"),
      budget_(budget) {}

const std::vector<TreeFile>& TreeReader::read(const std::string& hash) {
  const auto found = known_.find(hash);
  const auto& files =
      found == known_.end() ? known_.emplace(hash, read_rows(hash)).first->second : found->second;
  // Each row that names it holds a copy.
  for (const TreeFile& file : files) budget_.spend(sizeof file + file.path.size() + hash.size());
  return files;
}

std::vector<TreeFile> TreeReader::read_rows(const std::string& hash) {
  std::vector<TreeFile> files;
  if (hash.empty()) return files;
  rows_.bind(1, hash);
  while (rows_.executeStep()) {
    budget_.spend(columns::bytes_of_row(rows_));
    files.push_back({text_at(rows_, 0), text_at(rows_, 1), bytes_at(rows_, 2)});
  }
  rows_.reset();
  // A file of it was added, taken away, renamed, or another blob put in its place.
  if (files.size() > kMaxSourceFiles || hash_tree(files) != hash)
    corrupt(
        fmt::format("the files of tree {} are not those that it is named for", hash.substr(0, 12)));
  return files;
}

std::vector<Blob> read_blobs(SQLite::Database& database, const std::set<std::string>& hashes,
                             WorkBudget& budget) {
  SQLite::Statement row(database, "SELECT hash, bytes, codec, content FROM blob WHERE hash = ?");
  std::vector<Blob> blobs;
  for (const std::string& hash : hashes) {
    row.bind(1, hash);
    if (!row.executeStep()) corrupt(fmt::format("blob {} is missing", hash.substr(0, 12)));
    (void)read_content(row, budget);
    blobs.push_back({hash, bytes_at(row, 1), text_at(row, 2), row.getColumn(3).getString()});
    row.reset();
  }
  return blobs;
}

void remove_unnamed_sources(SQLite::Database& database) {
  database.exec("DELETE FROM tree WHERE hash NOT IN (SELECT tree_hash FROM evaluation)");
  database.exec(
      "DELETE FROM blob WHERE number NOT IN (SELECT blob FROM tree) AND "
      "hash NOT IN (SELECT task_source FROM evaluation)");
}

std::map<std::string, std::string> read_contents(SQLite::Database& database,
                                                 std::span<const std::string> hashes,
                                                 std::size_t most_bytes, WorkBudget& budget) {
  SQLite::Statement size(database, "SELECT bytes FROM blob WHERE hash = ?");
  std::vector<std::pair<std::int64_t, std::string>> by_size;
  for (const std::string& hash : std::set<std::string>(hashes.begin(), hashes.end())) {
    size.bind(1, hash);
    if (size.executeStep()) by_size.emplace_back(bytes_at(size, 0), hash);
    size.reset();
  }
  std::sort(by_size.begin(), by_size.end());
  SQLite::Statement row(database, "SELECT hash, bytes, codec, content FROM blob WHERE hash = ?");
  std::map<std::string, std::string> contents;
  std::size_t total = 0;
  for (const auto& [bytes, hash] : by_size) {
    total += static_cast<std::size_t>(bytes);
    if (total > most_bytes) break;
    row.bind(1, hash);
    if (row.executeStep()) contents.emplace(hash, read_content(row, budget));
    row.reset();
  }
  return contents;
}

}  // namespace kbench
