#include "runner/store/rows/tag_rows.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/core/evaluation.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"

namespace kbench {
namespace {

std::string text_of(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  if (!value.isText())
    throw SQLite::Exception("a tag holds something that is no text", SQLITE_CORRUPT);
  return value.getString();
}

std::vector<Tag> read_all(SQLite::Database& database, WorkBudget& budget) {
  SQLite::Statement rows(database, "SELECT name, run_id, tagged_at FROM tag ORDER BY name");
  std::vector<Tag> tags;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    tags.push_back({text_of(rows, 0), text_of(rows, 1), text_of(rows, 2)});
  }
  return tags;
}

}  // namespace

bool put_tag(SQLite::Database& database, const Tag& tag) {
  SQLite::Statement insert(database,
                           "INSERT INTO tag (name, run_id, tagged_at) VALUES (?, ?, ?) "
                           "ON CONFLICT (name) DO NOTHING");
  insert.bind(1, tag.name);
  insert.bind(2, tag.run_id);
  insert.bind(3, tag.tagged_at);
  if (insert.exec() > 0) return true;
  SQLite::Statement owner(database, "SELECT 1 FROM tag WHERE name = ? AND run_id = ?");
  owner.bind(1, tag.name);
  owner.bind(2, tag.run_id);
  return owner.executeStep();
}

std::optional<std::string> tag_like(SQLite::Database& database, const std::string& name) {
  SQLite::Statement others(database,
                           "SELECT name FROM tag WHERE name = ?1 COLLATE NOCASE AND name <> ?1");
  others.bind(1, name);
  return others.executeStep() ? std::optional(text_of(others, 0)) : std::nullopt;
}

bool remove_tag(SQLite::Database& database, const std::string& name) {
  SQLite::Statement statement(database, "DELETE FROM tag WHERE name = ?");
  statement.bind(1, name);
  return statement.exec() > 0;
}

std::vector<Tag> read_tags(SQLite::Database& database, WorkBudget& budget) {
  std::vector<Tag> tags = read_all(database, budget);
  // A name that is none of ours, such as the start of another run's id, names nothing.
  std::erase_if(tags, [](const Tag& tag) { return !check_tag_name(tag.name); });
  return tags;
}

std::vector<std::string> wrong_tags(SQLite::Database& database, WorkBudget& budget) {
  std::vector<std::string> wrong;
  for (const Tag& tag : read_all(database, budget))
    if (const Status name = check_tag_name(tag.name); !name)
      wrong.push_back(
          fmt::format("the tag of run {}: {}", short_id(tag.run_id), name.error().message));
  return wrong;
}

}  // namespace kbench
