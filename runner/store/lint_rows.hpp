// The lint table: one row for each task content, size and device. Inside runner/store only.
#pragma once

#include <vector>

#include "runner/core/lint_record.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// Both throw SQLite::Exception. A row of which a value cannot be one of ours is named and left out:
// the file may be anybody's.
void put_lint(SQLite::Database& database, const LintRecord& record);
[[nodiscard]] LintRows read_lint(SQLite::Database& database, WorkBudget& budget);

}  // namespace kbench
