#include "runner/store/care/readable_rows.hpp"

#include <optional>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"

namespace kbench {
namespace {

// More rows than any file of ours can have.
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

// Whether the first row from `number` on can be reached; true as well where there is none.
bool can_begin_at(SQLite::Database& database, std::string_view table, std::int64_t number) {
  try {
    SQLite::Statement row(
        database,
        fmt::format("SELECT number FROM {} NOT INDEXED WHERE number >= ? ORDER BY number LIMIT 1",
                    table));
    row.bind(1, number);
    (void)row.executeStep();
    return true;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

// The first number behind a page that cannot be read, which holds `number`: twice as far each time,
// and then back by halves. Nothing where no page behind it can be reached.
std::optional<std::int64_t> behind(SQLite::Database& database, std::string_view table,
                                   std::int64_t number) {
  std::int64_t step = 1;
  while (!can_begin_at(database, table, number + step)) {
    step *= 2;
    if (step > kFarthest) return std::nullopt;
  }
  std::int64_t fails = step / 2;
  std::int64_t works = step;
  while (works - fails > 1) {
    const std::int64_t middle = fails + (works - fails) / 2;
    (can_begin_at(database, table, number + middle) ? works : fails) = middle;
  }
  return number + works;
}

}  // namespace

bool for_each_readable_row(SQLite::Database& database, std::string_view table,
                           std::string_view columns, WorkBudget& budget,
                           const std::function<void(SQLite::Statement&)>& row) {
  bool complete = true;
  std::int64_t next = 0;  // ours begin at 1
  while (true) {
    try {
      SQLite::Statement rows(
          database,
          fmt::format("SELECT number, {} FROM {} NOT INDEXED WHERE number >= ? ORDER BY number",
                      columns, table));
      rows.bind(1, next);
      while (rows.executeStep()) {
        next = rows.getColumn(0).getInt64() + 1;
        budget.spend(columns::bytes_of_row(rows));
        row(rows);
      }
      return complete;
    } catch (const SQLite::Exception&) {
      complete = false;
      const std::optional<std::int64_t> further = behind(database, table, next);
      if (!further) return false;
      next = *further;
    }
  }
}

}  // namespace kbench
