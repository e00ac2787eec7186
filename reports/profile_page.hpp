// The page's section "Why is it slow": a plot of roofs, and for each stored profile its verdict,
// what to do and its kernels. All there without a script; foreign text passes HtmlWriter, and no
// folder of the machine is in it.
#pragma once

#include <string>
#include <vector>

#include "runner/core/profile_record.hpp"

namespace kbench {

// Profiles that a page shows at most, the newest of each subject.
inline constexpr std::size_t kMostPageProfiles = 40;

// The newest one of each task, size, device and subject, in the order of tasks.
[[nodiscard]] std::vector<StoredProfile> newest_of_each(std::vector<StoredProfile> profiles);

// The section with its heading; empty without profiles.
[[nodiscard]] std::string profiles_html(const std::vector<StoredProfile>& profiles);

}  // namespace kbench
