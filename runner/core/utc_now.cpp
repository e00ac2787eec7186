#include "runner/core/utc_now.hpp"

#include <chrono>

#include <fmt/chrono.h>

namespace kbench {

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace kbench
