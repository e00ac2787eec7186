#include "runner/os/clean_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Notations of characters that are not safe.
struct Notation {
  std::string (*unsafe)(const CodePoint& point, std::string_view bytes);
  const char* newline;  // nullptr: as any other control character
  const char* tab;
};

std::string as_bytes(const CodePoint&, std::string_view bytes) {
  std::string shown;
  for (const char c : bytes) shown += fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
  return shown;
}

std::string as_number(const CodePoint& point, std::string_view) {
  const auto value = static_cast<std::uint32_t>(point.value);
  if (!point.valid || value <= 0xff) return fmt::format("\\x{:02x}", value);
  return fmt::format("\\u{:04x}", value);
}

std::string as_question_mark(const CodePoint&, std::string_view) { return "?"; }

std::string clean(std::string_view text, const Notation& notation, std::size_t limit = kNoLimit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "…";
    const CodePoint point = decode_utf8(text);
    const std::string_view bytes = text.substr(0, point.bytes);
    const char* line_character = bytes == "\n"   ? notation.newline
                                 : bytes == "\t" ? notation.tab
                                                 : nullptr;
    if (line_character != nullptr) {
      result += line_character;
    } else if (point.valid && !steers_a_reader(point.value)) {
      result += bytes;
    } else {
      result += notation.unsafe(point, bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return result;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1, false};
  auto value = static_cast<char32_t>(lead & (0x7fu >> bytes));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    value = (value << 6) | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[bytes] || surrogate || value > 0x10ffff) return {lead, 1, false};
  return {value, bytes, true};
}

bool steers_a_reader(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 11> kRanges{{
      {0x00, 0x1f},
      {0x7f, 0x9f},
      {0xad, 0xad},
      {0x61c, 0x61c},
      {0x180e, 0x180e},
      {0x200b, 0x200f},
      {0x2028, 0x202e},
      {0x2060, 0x206f},
      {0xfeff, 0xfeff},
      {0xfff9, 0xfffb},
      {0xe0000, 0xe007f},
  }};
  if ((c & 0xfffe) == 0xfffe) return true;  // the last two of each plane
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string clean_text(std::string_view text, std::size_t limit) {
  return clean(text, {as_bytes, "\n", "\t"}, limit);
}

std::string clean_name(std::string_view text, std::size_t limit) {
  return clean(text, {as_bytes, nullptr, nullptr}, limit);
}

std::string last_words(std::string_view printed, std::size_t limit) {
  printed = printed.substr(0, printed.find_last_not_of(" \t\r\n") + 1);
  return clean_name(printed.substr(printed.find_last_of('\n') + 1), limit);
}

std::string sanitize_line(std::string_view text) { return clean(text, {as_number, "\\n", " "}); }
std::string sanitize_text(std::string_view text) { return clean(text, {as_number, "\n", "    "}); }
std::string printable(std::string_view text) { return clean(text, {as_question_mark, " ", " "}); }

}  // namespace kbench
