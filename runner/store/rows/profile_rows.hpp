// The table of profiles. Inside runner/store only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/profile_record.hpp"
#include "runner/core/result.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// Stores a profile; one that is there already stays. True where it was added. All functions here
// throw SQLite::Exception.
bool put_profile(SQLite::Database& database, const StoredProfile& profile);

// Profiles, oldest first; of one task, or of all. A row that is no profile of ours, or is not what
// its id says, is named and left out: the file is not trusted.
[[nodiscard]] ProfileRows read_profiles(SQLite::Database& database,
                                        const std::optional<std::string>& task, WorkBudget& budget);

// Numbers of those made before that time that explain no row which stays: none of their task, size,
// device and source, but in runs that go.
[[nodiscard]] std::vector<std::int64_t> profiles_that_go(SQLite::Database& database,
                                                         const std::string& made_before,
                                                         const std::set<std::string>& going_runs,
                                                         WorkBudget& budget);
void remove_profiles(SQLite::Database& database, const std::vector<std::int64_t>& numbers);

}  // namespace kbench
