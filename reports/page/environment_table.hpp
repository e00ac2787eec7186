// The environment of a run for people: facts in groups and in units that are read, without folders
// of the machine; the JSON as it is stored in a fold below.
#pragma once

#include <string>

#include "reports/page/page_model.hpp"

namespace kbench {

// The time at which a page was made, and the kbench that made it: not always the one that measured.
struct PageOrigin {
  std::string at;       // RFC 3339, UTC; empty: the page does not say
  std::string program;  // "kbench 0.1.0 (1bce94712345), Release, GNU 12.2.0"
};

[[nodiscard]] std::string environment_html(const PageModel& page, const PageOrigin& origin = {});

}  // namespace kbench
