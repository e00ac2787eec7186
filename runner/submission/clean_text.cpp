#include "runner/submission/clean_text.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace kbench {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: the text is not UTF-8 here
};

// Decodes strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t value = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
    return {};
  return {value, bytes};
}

// Controls, and the marks that make a reader see something else than what is there (Unicode's
// Bidi_Control, zero-width characters, line and paragraph separators, the byte-order mark).
bool is_deceptive(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

std::string clean(std::string_view text, std::size_t limit, bool keep_lines) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "…";
    const CodePoint point = decode(text);
    const bool line = keep_lines && (point.value == '\n' || point.value == '\t');
    if (point.bytes > 0 && (line || !is_deceptive(point.value))) {
      result += text.substr(0, point.bytes);
      text.remove_prefix(point.bytes);
      continue;
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(1, point.bytes); ++i) {
      result += fmt::format("\\x{:02X}", static_cast<std::uint8_t>(text[i]));
    }
    text.remove_prefix(std::max<std::size_t>(1, point.bytes));
  }
  return result;
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t limit) {
  return clean(text, limit, true);
}

std::string clean_name(std::string_view text, std::size_t limit) {
  return clean(text, limit, false);
}

}  // namespace kbench
