// Which stored profiles a page shows beside its rows: those of the very tasks, device, precision
// class and sources that were measured, the newest of each, and how many others there are and why
// they are not shown. Pure; rows and profiles are not trusted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "runner/core/profile_record.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

// Most profiles that a page shows.
inline constexpr std::size_t kMostPageProfiles = 40;

struct PageProfiles {
  // Profiles by task; a submission is called as its row calls it, and has that row's source hash.
  std::vector<StoredProfile> shown;
  // "2 of another device", "1 unsound": those that are not.
  std::vector<std::string> left_out;

  [[nodiscard]] bool empty() const { return shown.empty() && left_out.empty(); }
};

// A profile belongs to a row of the run, or of one beside it, that has its task's content, size,
// device, precision class and source, by whatever name; a baseline's to one of its task's content,
// size, device, precision class and torch. What the row or the profile does not say is not equal.
// Where more belong than are shown, each task has its turn, and within it first who is farthest
// from the limit. Profiles of tasks that no row is of are not counted as left out.
[[nodiscard]] PageProfiles choose_profiles(const ReportData& data, ProfileRows stored);

}  // namespace kbench
