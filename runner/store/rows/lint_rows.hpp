// The lint table: one row for each task content, size and device. Each has a seal over all of its
// columns, which only the holder of the chain's key can make: what lint found decides which tasks
// rank. No seal covers which rows there are: without its record, a task is one that nobody linted.
// Inside runner/store only.
#pragma once

#include "runner/core/lint_record.hpp"
#include "runner/store/chain/chained_run.hpp"

namespace kbench {

// Both throw SQLite::Exception. A record that is kept without a key has no seal. A row of which a
// value cannot be one of ours, or that is not what was sealed with this key, is named and left out:
// the file may be anybody's.
void put_lint(const ChainAccess& access, const LintRecord& record);
[[nodiscard]] LintRows read_lint(const ChainAccess& access);

}  // namespace kbench
