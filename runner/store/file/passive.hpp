// Makes a connection to a database that cannot act, and that cannot keep its reader waiting. A
// results file is input like any other: its schema may hold programs (triggers, views,
// expressions), its pages may refer to each other in circles. Works together with schema_check.hpp,
// which refuses what these settings merely switch off.
#pragma once

#include <cstdint>

#include <SQLiteCpp/Exception.h>

namespace SQLite {
class Database;
}

namespace kbench {

// To be called before the first statement. Throws SQLite::Exception.
void make_passive(SQLite::Database& database);

// Thrown (as SQLITE_CORRUPT) when an operation read more than its file can hold. No row of its own
// is damaged then, so that nothing may go on without it.
class BudgetSpent : public SQLite::Exception {
 public:
  BudgetSpent();
};

// How much one operation may do: as much as a sound file of its size can need, several times over.
// Lives longer than the connection that it is attached to.
class WorkBudget {
 public:
  WorkBudget() = default;
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // From now on, a statement that takes too many steps ends with SQLITE_INTERRUPT.
  void attach(SQLite::Database& database);
  // A new operation on a file of that size begins.
  void renew(std::uint64_t file_bytes);
  // A row of that many bytes was read. Throws BudgetSpent when they are more than the file can
  // hold: its pages are read over and over.
  void spend(std::uint64_t row_bytes);

 private:
  static int on_progress(void* budget);

  std::int64_t steps_left_ = 0;
  std::int64_t bytes_left_ = 0;
};

}  // namespace kbench
