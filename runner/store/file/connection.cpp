#include "runner/store/file/connection.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/core/defence.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/file/migrations.hpp"
#include "runner/store/file/schema_check.hpp"

namespace kbench {
namespace {

// A path as SQLite's URI, every byte that is not plainly harmless escaped.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '_' || c == '-' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

// The absolute path, because SQLite takes some names (":memory:", the empty one) for no file at
// all.
SQLite::Database connect(const std::filesystem::path& file, int flags, WorkBudget& budget) {
  SQLite::Database database(std::filesystem::absolute(file).string(), flags, kBusyTimeoutMs);
  make_passive(database);
  budget.attach(database);
  return database;
}

bool has_side_file(const std::filesystem::path& file, const char* ending) {
  std::error_code ignored;
  return std::filesystem::exists(file.string() + ending, ignored);
}

// Reading a WAL database creates its two side files, and whoever closes it last removes them, if he
// may write to it. So a file that nobody is writing is opened by somebody who may, and does not.
// Whatever a writer left behind stays where it is.
SQLite::Database connect_for_reading(const std::filesystem::path& file, int flags,
                                     WorkBudget& budget) {
  if (has_side_file(file, "-wal") || has_side_file(file, "-journal"))
    return connect(file, SQLite::OPEN_READONLY | flags, budget);
  SQLite::Database database = connect(file, SQLite::OPEN_READWRITE | flags, budget);
  database.exec("PRAGMA query_only = ON");
  return database;
}

// In a folder that cannot be written the side files cannot be made; without a WAL nobody is
// writing, and the file can be read as it lies there.
SQLite::Database open_readable(const std::filesystem::path& file, WorkBudget& budget) {
  // Only one thread at a time reads through the connection; a lock for each column is a tenth of a
  // report's time.
  const int unlocked = SQLite::OPEN_NOMUTEX;
  try {
    SQLite::Database database = connect_for_reading(file, unlocked, budget);
    database.execAndGet("SELECT count(*) FROM sqlite_schema");
    return database;
  } catch (const SQLite::Exception& exception) {
    std::error_code ignored;
    const bool has_wal = has_side_file(file, "-wal");
    const bool unwritable =
        exception.getErrorCode() == SQLITE_CANTOPEN || exception.getErrorCode() == SQLITE_READONLY;
    if (!unwritable || has_wal || !std::filesystem::exists(file, ignored)) throw;
  }
  SQLite::Database database(immutable_uri(file),
                            SQLite::OPEN_READONLY | unlocked | SQLite::OPEN_URI, kBusyTimeoutMs);
  make_passive(database);
  budget.attach(database);
  return database;
}

// A copy of a database of an older kbench, brought to this one's schema: reading changes no file. A
// large one lies in a nameless file of TMPDIR, which SQLite removes.
SQLite::Database brought_up_to_date(SQLite::Database& old, std::uint64_t bytes,
                                    WorkBudget& budget) {
  constexpr std::uint64_t kMostInMemory = 64 << 20;
  SQLite::Database copy(bytes > kMostInMemory ? "" : ":memory:",
                        SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(copy, old).executeStep();
  make_passive(copy);
  budget.attach(copy);
  apply_steps(copy, schema_steps());
  return copy;
}

SQLite::Database open_database(const std::filesystem::path& file, OpenFor purpose,
                               WorkBudget& budget) {
  if (purpose != OpenFor::kWriting) return open_readable(file, budget);
  return connect(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, budget);
}

// Checks whose file it is, and whether we know its schema. An empty database becomes ours when it
// is writable. Read in one transaction, because another process may be making the file ours at this
// moment.
Status check_identity(SQLite::Database& database, const std::filesystem::path& file,
                      OpenFor purpose) {
  const SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
  const int id = database.execAndGet("PRAGMA application_id").getInt();
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  const int objects = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
  const auto known = static_cast<int>(schema_steps().size());
  const bool empty = id == 0 && version == 0 && objects == 0;
  if (empty && purpose == OpenFor::kWriting) return Done{};
  if (empty) {
    return Error{ErrorCode::kUsage, fmt::format("{}: an empty database", file.string()),
                 "Nothing was stored yet: `kbench run` fills it."};
  }
  if (id != kApplicationId) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: a database of another program (application id {:#x})", file.string(), id),
        "Name another file with --db; this one was left as it is."};
  }
  if (version > known) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: written by a newer kbench: schema {}, this one knows up to {}",
                             file.string(), version, known),
                 "Use the newer kbench, or choose another file with --db."};
  }
  const auto steps = static_cast<std::size_t>(std::max(version, 0));
  if (const Status same = check_schema(database, file, steps); !same) return same;
  return Done{};
}

// Two processes that switch a new file to WAL at once are told SQLITE_BUSY without SQLite's own
// waiting, so the waiting is done here. A file system without shared memory keeps its rollback
// journal, which is as safe and only slower.
void use_write_ahead_log(SQLite::Database& database) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    try {
      database.execAndGet("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& exception) {
      if (exception.getErrorCode() != SQLITE_BUSY || steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

void set_up_connection(SQLite::Database& database) {
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
}

}  // namespace

Result<Connection> open_connection(const std::filesystem::path& file, OpenFor purpose) {
  if (stands(Defence::kPassiveDatabase))
    if (const Status usable = check_database_path(file); !usable) return usable.error();
  std::error_code ignored;
  if (purpose != OpenFor::kWriting && !std::filesystem::exists(file, ignored)) {
    return Error{ErrorCode::kUsage, fmt::format("{}: no such database", file.string()),
                 "`kbench run` creates it; --db names another one"};
  }
  return guarded(file, "opening it", [&]() -> Result<Connection> {
    auto budget = std::make_unique<WorkBudget>();
    budget->renew(database_bytes(file));
    SQLite::Database database = open_database(file, purpose, *budget);
    const Status ours = check_identity(database, file, purpose);
    if (!ours) return ours.error();
    if (purpose == OpenFor::kWriting) {
      use_write_ahead_log(database);
      apply_steps(database, schema_steps());
      // Checks once more: another process may have worked on the file since.
      const Status same = check_schema(database, file, schema_steps().size());
      if (!same) return same.error();
    }
    if (purpose == OpenFor::kReading && schema_version(database) < schema_steps().size())
      database = brought_up_to_date(database, database_bytes(file), *budget);
    set_up_connection(database);
    return Connection{file, std::move(budget), std::move(database)};
  });
}

std::size_t schema_version(SQLite::Database& database) {
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  return static_cast<std::size_t>(std::max(version, 0));
}

}  // namespace kbench
