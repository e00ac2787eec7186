// The time of day as kbench stores it.
#pragma once

#include <string>

namespace kbench {

// UTC now, RFC 3339 with seconds.
[[nodiscard]] std::string utc_now();

}  // namespace kbench
