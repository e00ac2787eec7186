#include "runner/core/lone_surrogates.hpp"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace kbench {
namespace {

constexpr std::size_t kEscape = 6;  // bytes of "\\ud83d"

bool is_high(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

// The value of an escape at `at`, or 0.
unsigned escaped_unit(std::string_view json, std::size_t at) {
  if (at + kEscape > json.size() || json[at] != '\\' || json[at + 1] != 'u') return 0;
  unsigned unit = 0;
  const char* begin = json.data() + at + 2;
  const auto read = std::from_chars(begin, begin + 4, unit, 16);
  return read.ec == std::errc{} && read.ptr == begin + 4 ? unit : 0;
}

// True for a lone surrogate written as bytes: ED A0 80 to ED BF BF.
bool is_in_bytes(std::string_view json, std::size_t at) {
  return at + 2 < json.size() && json[at] == '\xed' &&
         static_cast<unsigned char>(json[at + 1]) >= 0xa0;
}

}  // namespace

std::string without_lone_surrogates(std::string json) {
  for (std::size_t at = 0; (at = json.find_first_of("\\\xed", at)) != std::string::npos;) {
    if (is_in_bytes(json, at)) {
      json.replace(at, 3, "\xef\xbf\xbd");
      at += 3;
      continue;
    }
    if (json[at] != '\\') {
      ++at;
      continue;
    }
    const unsigned unit = escaped_unit(json, at);
    if (is_high(unit) && is_low(escaped_unit(json, at + kEscape))) {
      at += 2 * kEscape;
      continue;
    }
    if (is_high(unit) || is_low(unit)) json.replace(at, kEscape, "\\ufffd");
    at += 2;
  }
  return json;
}

}  // namespace kbench
