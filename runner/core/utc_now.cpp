#include "runner/core/utc_now.hpp"

#include <chrono>
#include <cstdint>
#include <iomanip>
#include <sstream>

#include <fmt/chrono.h>

namespace kbench {

std::string utc_now() { return utc_in(0); }

std::string utc_in(double seconds) {
  const auto then =
      std::chrono::system_clock::now() + std::chrono::seconds{static_cast<std::int64_t>(seconds)};
  return utc_of(std::chrono::system_clock::to_time_t(then));
}

std::string utc_of(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::optional<std::chrono::system_clock::time_point> parse_utc(const std::string& text) {
  std::tm fields{};
  std::istringstream stream(text);
  stream >> std::get_time(&fields, "%Y-%m-%dT%H:%M:%SZ");
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) return {};
  return std::chrono::system_clock::from_time_t(::timegm(&fields));
}

}  // namespace kbench
