#include "runner/cli/db_options.hpp"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace kbench {

Result<int> parse_age(std::string_view word) {
  constexpr int kMostDays = 100'000;
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
  const int days = unit == "w" ? 7 : 1;
  if (error == std::errc() && number >= 0 && number <= kMostDays / days &&
      (unit == "d" || unit == "w"))
    return number * days;
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" is no time to keep runs for", word.substr(0, 40)),
               "say 90d for days or 12w for weeks"};
}

}  // namespace kbench
