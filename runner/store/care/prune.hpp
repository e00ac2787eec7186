// Which runs of a database may go, and their removal. A run goes as a whole or not at all: facts
// within a run are never changed. `kbench db prune`. What is removed leaves free pages, which later
// runs fill, or vacuum.hpp gives back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain_key.hpp"

namespace kbench {

struct PruneRule {
  std::string begun_before;  // UTC, RFC 3339: of the others all stay
  // Keeps good runs, however old: those without a fault of kbench's or the machine's whose chain
  // holds.
  bool keep_good = false;
  std::optional<ChainKey> key;  // key that chains are checked with
  // An unfinished run that began later may still be running, or be resumed: it stays.
  std::string unfinished_since;
};

// Runs that began within so many days stay; an unfinished one for a week in any case.
[[nodiscard]] PruneRule keep_runs_of(int days, bool keep_good, std::optional<ChainKey> key);

// Days of "90d" or "12w". Errors: kUsage.
[[nodiscard]] Result<int> parse_keep_time(std::string_view word);

struct PruneVerdict {
  Run run;
  int rows = 0;
  bool goes = false;
  std::string why;                     // why it stays or goes, a few words
  std::optional<std::uint64_t> bytes;  // about what it takes, of those that go; empty: unknown
};

struct PruneProgress {
  std::function<void(std::size_t done, std::size_t all)> tell;  // may be empty
};

// Verdicts on all runs, oldest first. A tagged run stays, and so do all shards of a run
// (run_group.hpp) of which one does. Reads only.
[[nodiscard]] Result<std::vector<PruneVerdict>> judge_runs(const std::filesystem::path& file,
                                                           const PruneRule& rule,
                                                           const PruneProgress& progress = {});

struct RunsThatGo {
  std::vector<std::string> run_ids;
  std::uint64_t bytes = 0;  // about
};
[[nodiscard]] RunsThatGo runs_that_go(const std::vector<PruneVerdict>& verdicts);

struct Removed {
  std::size_t runs = 0;
  std::uint64_t bytes = 0;        // free in the file from now on
  std::vector<std::string> kept;  // ids of those that were tagged meanwhile
};

// Removes runs, in one transaction for each, so that a run that is being written waits for no
// longer than one takes, and a kill leaves none in half.
[[nodiscard]] Result<Removed> remove_runs(const std::filesystem::path& file,
                                          const std::vector<std::string>& run_ids,
                                          const PruneProgress& progress = {});

}  // namespace kbench
