// The time of day as kbench stores it.
#pragma once

#include <string>

namespace kbench {

// UTC now, RFC 3339 with seconds; and so many seconds from now.
[[nodiscard]] std::string utc_now();
[[nodiscard]] std::string utc_in(double seconds);

}  // namespace kbench
