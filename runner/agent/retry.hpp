// When an endpoint is asked once more. Pure.
#pragma once

#include <chrono>
#include <optional>

namespace kbench {

inline constexpr int kMostTries = 6;

// How long to wait before the next try, after so many; nothing where there is none: after the last
// one, and after an answer that another try would not change. `status`: of HTTP, 0 where no answer
// came. `retry_after`: what the endpoint asks for, at most five minutes of it.
[[nodiscard]] std::optional<std::chrono::milliseconds> wait_before_retry(
    int tries, int status, std::optional<std::chrono::seconds> retry_after);

}  // namespace kbench
