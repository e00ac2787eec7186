#include "runner/agent/retry.hpp"

#include <algorithm>

namespace kbench {

std::optional<std::chrono::milliseconds> wait_before_retry(
    int tries, int status, std::optional<std::chrono::seconds> retry_after) {
  using std::chrono::milliseconds;
  constexpr std::chrono::seconds kLongest{300};
  constexpr milliseconds kFirst{1000};  // twice as long each time
  const bool again = status == 0 || status == 408 || status == 429 || status >= 500;
  if (!again || tries >= kMostTries) return std::nullopt;
  if (retry_after)
    return std::clamp(milliseconds(*retry_after), milliseconds(0), milliseconds(kLongest));
  return kFirst * (1 << (tries - 1));
}

}  // namespace kbench
