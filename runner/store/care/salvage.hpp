// Copies the readable part of a damaged database into a new one: the runs of which every row is
// there, with their chains as they are. A source that is damaged costs no run: it is taken as it
// is, and told. `kbench db salvage`. The damaged file is only read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain.hpp"

namespace kbench {

struct SavedRun {
  Run run;
  std::size_t rows = 0;
  ChainFinding chain;  // the chain in the new file
};

struct LostRun {
  std::string id;
  std::string started_at;  // empty where it is lost
  std::string why;
};

struct Salvaged {
  std::vector<SavedRun> saved;      // order of insertion
  std::vector<LostRun> lost;        // the same
  std::size_t profiles = 0;         // saved
  std::vector<std::string> mended;  // faults of the file itself, mended, a sentence each
  // Other losses: sources and episodes of runs that were saved, tags, profiles and lint records;
  // a sentence each.
  std::vector<std::string> notes;
};

// Where neither a run nor a profile could be saved, there is no new file. Errors: kUsage where `to`
// exists or `damaged` cannot be a database; kNotFound; kBadInput where no table of ours is found in
// it; kInfrastructure.
[[nodiscard]] Result<Salvaged> salvage(const std::filesystem::path& damaged,
                                       const std::filesystem::path& to,
                                       const std::optional<ChainKey>& key);

}  // namespace kbench
