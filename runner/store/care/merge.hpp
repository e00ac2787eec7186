// Runs of other databases into one, by their ids: each with its rows and its chain as they are, so
// that what one machine measured can be checked wherever it lies. `kbench db merge`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/store/chain/chain.hpp"

namespace kbench {

struct MergedRun {
  enum class State {
    kAdded,
    kThere,    // it was there with the same content
    kRefused,  // another one of that id is there, or it cannot be read
  };
  State state = State::kRefused;
  Run run;
  std::filesystem::path from;
  std::string why;     // reason of a refusal
  ChainFinding chain;  // chain of an added run
  // Damaged sources of a run that was merged, a sentence each. They are damaged in the database
  // that takes it; the run's rows were merged all the same.
  std::vector<std::string> damaged;
  bool took_night = false;  // it was there without a night's findings, and has them now
};

struct Merged {
  std::vector<MergedRun> runs;     // databases in their order, oldest run first
  std::vector<std::string> notes;  // tags, profiles, lint records not taken; nights added to a run
  int tags = 0;                    // taken
  int profiles = 0;                // taken; the same one is there once
  int there_profiles = 0;          // profiles that were there already
  int refused_profiles = 0;        // unsound ones, each named in a note
};

struct MergeRequest {
  std::filesystem::path into;  // created where it is missing
  std::vector<std::filesystem::path> from;
  std::optional<ChainKey> key;                         // key that chains are checked with
  bool lint = false;                                   // lint's findings are taken as well
  std::function<void(const MergedRun& run)> progress;  // may be empty
};

// Merges, in one transaction for each run; merging again adds nothing, but that a source which is
// damaged in `into` and sound in another is mended. What lint found decides which tasks count in a
// score, of all runs that are there, and no chain holds it: it is taken only on request, where it
// is newer. Errors: those of Store::open, before anything is added; and of writing, after which
// what was added stays.
[[nodiscard]] Result<Merged> merge_databases(const MergeRequest& request);

}  // namespace kbench
