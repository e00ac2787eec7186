#include "runner/store/vacuum.hpp"

#include <stdlib.h>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <sqlite3.h>

#include "runner/store/connection.hpp"

namespace kbench {
namespace {

// Where SQLite writes the new database first. Its own choice, /var/tmp, may be small.
void write_beside(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  ::setenv("SQLITE_TMPDIR", folder.c_str(), /*overwrite=*/0);
}

}  // namespace

Result<Vacuumed> vacuum(const std::filesystem::path& file) {
  write_beside(file);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Error{ErrorCode::kUsage, file.string() + ": no such database",
                 "--db names another one."};
  }
  Result<Connection> connection = open_connection(file, OpenFor::kWriting);
  if (!connection) return connection.error();
  return connection->guarded("writing it anew", [&]() -> Result<Vacuumed> {
    SQLite::Database& database = connection->database;
    // A passive connection sorts in memory and attaches nothing; VACUUM does both, by itself.
    database.exec("PRAGMA temp_store = FILE");
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_ATTACHED, 1);
    Vacuumed done;
    done.bytes_before = database_bytes(file);
    database.exec("VACUUM");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    done.bytes_after = database_bytes(file);
    return done;
  });
}

}  // namespace kbench
