// The numbers of the rows of a damaged table. A scan ends at the first page that cannot be read;
// here it goes on behind it. Inside runner/store only.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace kbench {

class WorkBudget;

// Calls `row` with a statement that stands on each row that can be read: its first column is the
// row's number, and then come `columns` (a constant of ours) of the table. True where no page was
// skipped.
[[nodiscard]] bool for_each_readable_row(SQLite::Database& database, std::string_view table,
                                         std::string_view columns, WorkBudget& budget,
                                         const std::function<void(SQLite::Statement&)>& row);

}  // namespace kbench
