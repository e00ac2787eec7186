#include "runner/core/utc_now.hpp"

#include <chrono>
#include <cstdint>

#include <fmt/chrono.h>

namespace kbench {

std::string utc_now() { return utc_in(0); }

std::string utc_in(double seconds) {
  const auto then =
      std::chrono::system_clock::now() + std::chrono::seconds{static_cast<std::int64_t>(seconds)};
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
}

}  // namespace kbench
