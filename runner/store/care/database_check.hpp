// Whether a database is sound: its pages, its schema, what its rows may hold, every source and text
// against its hash, tags, and the chain of each run. `kbench db check`; backups are held to the
// same. Reads only, and each run apart, so that one that is damaged does not hide the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain.hpp"

namespace kbench {

struct CheckedRun {
  Run run;
  int rows = 0;
  int episodes = 0;
  int states = 0;
  ChainFinding chain;
  std::vector<std::string> wrong;  // a sentence each; a chain that was changed is among them
};

struct DatabaseCheck {
  std::uint64_t bytes = 0;
  std::size_t schema = 0;          // steps that the file has seen
  std::size_t newest_schema = 0;   // steps that this kbench knows
  std::vector<std::string> wrong;  // faults of the file as a whole, a sentence each
  std::vector<CheckedRun> runs;    // newest first
  std::size_t lint = 0;            // records of what lint found, changed ones left out
  std::size_t profiles = 0;        // damaged ones left out
  std::size_t unvouched_lint = 0;  // records without a seal of the request's key; 0 without a key

  [[nodiscard]] bool sound() const;
};

struct CheckRequest {
  std::optional<ChainKey> key;  // none: chained runs are "unchecked"
  bool quick = false;           // SQLite's quick_check: without comparing tables with their indexes
  bool runs = true;             // read each of them, and what they are called
  std::function<void(std::size_t done, std::size_t runs)> progress;  // may be empty
};

// Errors: kNotFound and kUsage where there is no database to check. What is wrong with one is no
// error, but what was asked for.
[[nodiscard]] Result<DatabaseCheck> check_database(const std::filesystem::path& file,
                                                   const CheckRequest& request);

}  // namespace kbench
