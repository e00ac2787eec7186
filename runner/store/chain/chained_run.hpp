// The chain of one run as it lies in the database: begun, extended and checked, each inside of the
// transaction of its caller, so that a kill at any moment leaves rows, links and seal that belong
// together. Inside runner/store only. All throw SQLite::Exception.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain.hpp"
#include "runner/store/file/passive.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

struct ChainAccess {
  SQLite::Database& database;
  const std::optional<ChainKey>& key;  // none: runs are begun unchained
  WorkBudget& budget;
};

// Begins the chain of a run that was just inserted and has no rows.
void begin_chain(const ChainAccess& access, const Run& run);

// Whether the run may be written to: it is unchained, or its seal holds and its key is here. Errors
// (kUsage) say which not. To be called before any change to it.
[[nodiscard]] Status may_extend(const ChainAccess& access, const std::string& run_id);

// Extends the chain, after the row with that number was inserted, or (without) after the run's own
// columns changed.
void extend_chain(const ChainAccess& access, const std::string& run_id,
                  const Evaluation* evaluation, std::int64_t number);

// `evaluations` are all rows of the run, in order, as they were read.
[[nodiscard]] ChainFinding check_chain(const ChainAccess& access, const std::string& run_id,
                                       std::span<const Evaluation> evaluations);

// The findings on some rows in any runs, by run: whether each is what was linked to the row before.
// Rows that are gone, and the run's own columns, only check_chain notices. `numbers` are those of
// the rows, one each.
[[nodiscard]] std::map<std::string, ChainFinding> check_links(
    const ChainAccess& access, std::span<const Evaluation> evaluations,
    std::span<const std::int64_t> numbers);

}  // namespace kbench
