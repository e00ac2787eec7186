// Profiles in a database: kept by `kbench profile`, compared, shown on pages, and removed with the
// rows that they explain. No chain holds them, since no verdict depends on one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/core/profile_record.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct ProfileRows {
  std::vector<StoredProfile> profiles;  // oldest first
  // Rows that are no profile of ours or were changed: which each is, and what is wrong with it.
  std::vector<std::string> malformed;
};

// Whether the file can keep profiles, asked before one is made: there is a folder to make it in, or
// it is a database that may be written. Errors: those of Store::open; kUsage.
Status check_keeps_profiles(const std::filesystem::path& file);

// Makes the database where there is none. The same profile twice is one. Errors: those of
// Store::open and of writing.
Status keep_profile(const std::filesystem::path& file, const StoredProfile& profile);

// Profiles of one task, or of all. Errors: those of Store::open.
[[nodiscard]] Result<ProfileRows> stored_profiles(const std::filesystem::path& file,
                                                  const std::optional<std::string>& task = {});

// Leaves only those whose task the glob matches: its id, or what stands behind the level.
void keep_profiles_of(const std::string& tasks, ProfileRows& rows);

// The one whose id begins so. Errors: kNotFound, kUsage where several do; kBadInput where it is
// damaged.
[[nodiscard]] Result<StoredProfile> find_profile(const std::filesystem::path& file,
                                                 const std::string& id);

struct ProfilePrune {
  std::string made_before;           // UTC, RFC 3339: later ones stay
  std::set<std::string> going_runs;  // ids of runs that go
  bool dry_run = false;
};

// Removes profiles that are old and explain no row that stays; with `dry_run` counts them. To be
// called before those runs are removed. Errors: those of Store::open and of writing.
[[nodiscard]] Result<std::size_t> prune_profiles(const std::filesystem::path& file,
                                                 const ProfilePrune& prune);

}  // namespace kbench
