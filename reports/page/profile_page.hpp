// The page's section "Why is it slow": a plot of roofs, and for each profile that belongs to a row
// its verdict, what to do and its kernels; and how many others there are. All there without a
// script; foreign text passes HtmlWriter, and no folder of the machine is in it.
#pragma once

#include <string>

#include "reports/page/profile_choice.hpp"

namespace kbench {

// The section with its heading; empty where there is no profile to show or to name.
[[nodiscard]] std::string profiles_html(const PageProfiles& profiles);

}  // namespace kbench
