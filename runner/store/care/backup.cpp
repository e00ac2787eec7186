#include "runner/store/care/backup.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/care/database_check.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/file/new_database.hpp"

namespace kbench {
namespace {

// Copies all pages in one step, which is one read transaction: a step for some pages would begin
// anew at each write of another process.
Status copy(Connection& from, const std::filesystem::path& draft) {
  return from.guarded("copying it", [&]() -> Status {
    SQLite::Database to(draft.string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
    if (SQLite::Backup(to, from.database).executeStep() != SQLITE_DONE)
      throw SQLite::Exception("somebody else holds it", SQLITE_BUSY);
    // The copy begins as a write-ahead database like its original, with two files beside it.
    to.execAndGet("PRAGMA journal_mode = DELETE");
    return Done{};
  });
}

}  // namespace

Result<std::uint64_t> back_up(const std::filesystem::path& file, const std::filesystem::path& to) {
  Result<Connection> from = open_connection(file, OpenFor::kInspecting);
  if (!from) return from.error();
  if (Status whole = check_file_end(file); !whole) return whole.error();
  Result<NewDatabase> database = NewDatabase::at(to);
  if (!database) return database.error();
  if (Status copied = copy(*from, database->draft()); !copied) return copied.error();
  const Result<DatabaseCheck> check =
      check_database(database->draft(), {.key = {}, .runs = false, .progress = {}});
  if (!check) return check.error();
  // A chain that was changed, or a planted tag, is copied as it is: that is for `check` to say,
  // here and there.
  if (!check->wrong.empty()) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: damaged, and so would be its copy: {}", file.string(),
                             check->wrong.front()),
                 "`kbench db check` says more; `kbench db salvage` saves what can be read."};
  }
  const std::uint64_t bytes = database_bytes(database->draft());
  if (Status placed = database->take_place(); !placed) return placed.error();
  return bytes;
}

}  // namespace kbench
