#include "runner/store/care/vacuum.hpp"

#include <stdlib.h>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <sqlite3.h>

#include "runner/store/file/connection.hpp"
#include "runner/store/file/database_path.hpp"

namespace kbench {
namespace {

// Has SQLite write the new database beside the old one first. Its own choice, /var/tmp, may be
// small.
void write_beside(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  ::setenv("SQLITE_TMPDIR", folder.c_str(), /*overwrite=*/0);
}

}  // namespace

Result<Vacuumed> vacuum(const std::filesystem::path& file) {
  write_beside(file);
  // The file is inspected first: opening it for writing would make a database of a file that is
  // none yet.
  if (const auto is_one = open_connection(file, OpenFor::kInspecting); !is_one)
    return is_one.error();
  // If the file were written anew, what was cut off would look as if it had never been there.
  if (Status whole = check_file_end(file); !whole) return whole.error();
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
