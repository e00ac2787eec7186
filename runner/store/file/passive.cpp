#include "runner/store/file/passive.hpp"

#include <array>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include "runner/core/defence.hpp"

namespace kbench {
namespace {

constexpr std::array<std::pair<int, int>, 9> kSettings = {{
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
    {SQLITE_DBCONFIG_DQS_DDL, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},
}};

// Limits far above what our own statements and values need, far below what costs memory or time.
constexpr std::array<std::pair<int, int>, 9> kLimits = {{
    {SQLITE_LIMIT_LENGTH, 64 << 20},
    {SQLITE_LIMIT_SQL_LENGTH, 100'000},
    {SQLITE_LIMIT_COLUMN, 200},
    {SQLITE_LIMIT_EXPR_DEPTH, 50},
    {SQLITE_LIMIT_COMPOUND_SELECT, 10},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
}};

// Memory of SQLite itself in the whole process: its caches, its sorter, the parsed schema.
constexpr std::int64_t kMostHeapBytes = 256ll << 20;

// A sound row takes less than one step for each byte that it has in the file, and is about five
// times as large as there once it is read.
constexpr std::int64_t kStepsFree = 20'000'000;  // about half a second
constexpr std::int64_t kStepsPerByte = 4;
constexpr std::int64_t kBytesFree = 64 << 20;
constexpr std::int64_t kBytesPerByte = 16;
constexpr int kStepsPerCall = 1000;

}  // namespace

void make_passive(SQLite::Database& database) {
  if (!stands(Defence::kPassiveDatabase)) return;
  sqlite3* const handle = database.getHandle();
  for (const auto& [setting, value] : kSettings) {
    if (sqlite3_db_config(handle, setting, value, nullptr) != SQLITE_OK)
      throw SQLite::Exception("a setting that makes the database passive is refused", SQLITE_ERROR);
  }
  for (const auto& [limit, value] : kLimits) sqlite3_limit(handle, limit, value);
  sqlite3_hard_heap_limit64(kMostHeapBytes);
  database.exec("PRAGMA cell_size_check = ON");
  database.exec("PRAGMA temp_store = MEMORY");  // sorted rows count as heap, and fill no disk
  database.exec("PRAGMA mmap_size = 0");        // a file that shrinks meanwhile would be a SIGBUS
}

BudgetSpent::BudgetSpent()
    : SQLite::Exception("more rows come out of it than it can hold", SQLITE_CORRUPT) {}

void WorkBudget::attach(SQLite::Database& database) {
  if (stands(Defence::kPassiveDatabase))
    sqlite3_progress_handler(database.getHandle(), kStepsPerCall, on_progress, this);
}

void WorkBudget::renew(std::uint64_t file_bytes) {
  const auto bytes = static_cast<std::int64_t>(file_bytes);
  steps_left_ = kStepsFree + bytes * kStepsPerByte;
  bytes_left_ = kBytesFree + bytes * kBytesPerByte;
}

void WorkBudget::spend(std::uint64_t row_bytes) {
  bytes_left_ -= static_cast<std::int64_t>(row_bytes);
  if (bytes_left_ < 0 && stands(Defence::kPassiveDatabase)) throw BudgetSpent();
}

int WorkBudget::on_progress(void* budget) {
  auto* self = static_cast<WorkBudget*>(budget);
  self->steps_left_ -= kStepsPerCall;
  return self->steps_left_ < 0 ? 1 : 0;
}

}  // namespace kbench
