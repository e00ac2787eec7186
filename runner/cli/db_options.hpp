// Options of `kbench db` and its commands, as plain values; see options.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct DbOptions {
  enum class Action { kCheck, kBackup, kPrune, kVacuum, kSalvage, kMerge };

  CommonOptions common;
  Action action = Action::kCheck;
  std::filesystem::path database = "kbench.sqlite";  // of check, backup, prune and vacuum
  OutputFormat format = OutputFormat::kTable;        // of check and prune
  bool quick = false;                                // check: see CheckRequest
  std::filesystem::path from;                        // salvage: the damaged file
  std::filesystem::path to;                          // backup, salvage, merge: where it goes
  std::vector<std::filesystem::path> others;         // merge: what is taken from
  bool lint = false;                                 // merge: take what lint found, too
  int keep_days = 0;                                 // prune
  bool keep_good = false;                            // prune
  bool dry_run = false;                              // prune
};

// "90d" or "12w" as days. Errors: kUsage.
[[nodiscard]] Result<int> parse_age(std::string_view word);

}  // namespace kbench
