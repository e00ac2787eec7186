// The time of day as kbench stores it.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>

namespace kbench {

// UTC now, RFC 3339 with seconds; and so many seconds from now.
[[nodiscard]] std::string utc_now();
[[nodiscard]] std::string utc_in(double seconds);
// The same text of a time, in seconds since 1970.
[[nodiscard]] std::string utc_of(std::time_t time);

// The time of exactly such a text; nothing for any other.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_utc(
    const std::string& text);

}  // namespace kbench
