// The lint table: one row for each task content, size and device. Each has a seal over all of its
// columns, which only the holder of the chain's key can make: what lint found decides which tasks
// rank. No seal covers which rows there are: without its record, a task counts as not linted.
// Inside runner/store only.
#pragma once

#include "runner/core/lint_record.hpp"
#include "runner/store/chain/chained_run.hpp"

namespace kbench {

// Stores a record; one that is stored without a key has no seal. Reading names and leaves out a row
// of which a value cannot be one of ours, or that is not what was sealed with this key: the file is
// not trusted. Both functions throw SQLite::Exception.
void put_lint(const ChainAccess& access, const LintRecord& record);
[[nodiscard]] LintRows read_lint(const ChainAccess& access);

}  // namespace kbench
