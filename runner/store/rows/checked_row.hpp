// Values of the row that a statement stands on, each looked at before it is taken. Inside
// runner/store only. All throw SQLite::Exception: SQLITE_CORRUPT where a value cannot be one of
// ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace kbench {

class CheckedRow {
 public:
  // `of` completes "a state's …" in messages: "a state", "a cell".
  CheckedRow(SQLite::Statement& rows, const char* of) : rows_(rows), of_(of) {}

  [[nodiscard]] std::string text(int column, const char* what) const {
    const SQLite::Column value = rows_.getColumn(column);
    if (!value.isText()) corrupt(what, "is no text");
    return value.getString();
  }
  // The text; empty for NULL.
  [[nodiscard]] std::string text_if_any(int column, const char* what) const {
    return rows_.getColumn(column).isNull() ? std::string() : text(column, what);
  }
  [[nodiscard]] std::int64_t count(int column, const char* what) const {
    const SQLite::Column value = rows_.getColumn(column);
    if (!value.isInteger() || value.getInt64() < 0) corrupt(what, "is no count");
    return value.getInt64();
  }
  [[nodiscard]] std::optional<std::int64_t> count_if_any(int column, const char* what) const {
    if (rows_.getColumn(column).isNull()) return std::nullopt;
    return count(column, what);
  }

 private:
  [[noreturn]] void corrupt(const char* what, const char* is) const {
    throw SQLite::Exception(fmt::format("the {} of {} {}", what, of_, is), SQLITE_CORRUPT);
  }

  SQLite::Statement& rows_;
  const char* of_;
};

}  // namespace kbench
