// The lint table: one row for each task content, size and device. Inside runner/store only.
#pragma once

#include <vector>

#include "runner/core/lint_record.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// Both throw SQLite::Exception; read_lint with SQLITE_CORRUPT where a value cannot be one of ours.
void put_lint(SQLite::Database& database, const LintRecord& record);
[[nodiscard]] std::vector<LintRecord> read_lint(SQLite::Database& database, WorkBudget& budget);

}  // namespace kbench
