// The environment of a run for people: facts in groups and in units that are read, without folders
// of the machine; the JSON as it is stored in a fold below.
#pragma once

#include <string>

#include "reports/page/page_model.hpp"

namespace kbench {

[[nodiscard]] std::string environment_html(const PageModel& page);

}  // namespace kbench
