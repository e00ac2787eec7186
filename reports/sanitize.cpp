#include "reports/sanitize.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// Decodes the first character; rejects overlong forms, surrogates and values past U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {lead, 1, false};
  auto value = static_cast<char32_t>(lead & (0xffu >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    value = (value << 6) | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[length] || surrogate || value > 0x10ffff) return {lead, 1, false};
  return {value, length, true};
}

// Characters that steer instead of showing: C0, DEL, C1, marks of direction, zero-width ones, line
// and paragraph separators, tags, noncharacters.
bool is_unsafe(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 12> kUnsafe{{
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
      {0x10fffe, 0x10ffff},
  }};
  if ((c & 0xfffe) == 0xfffe) return true;
  return std::any_of(kUnsafe.begin(), kUnsafe.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string visible(const CodePoint& point) {
  const auto value = static_cast<std::uint32_t>(point.value);
  if (!point.valid || value <= 0xff) return fmt::format("\\x{:02x}", value);
  return fmt::format("\\u{:04x}", value);
}

std::string sanitize(std::string_view text, bool one_line) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (point.valid && point.value == '\n') {
      safe += one_line ? "\\n" : "\n";
    } else if (point.valid && point.value == '\t') {
      safe += one_line ? " " : "    ";
    } else if (!point.valid || is_unsafe(point.value)) {
      safe += visible(point);
    } else {
      safe += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return safe;
}

// libc knows the widths, by the locale of the calling thread: a UTF-8 one for the time being.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) previous_ = ::uselocale(locale_);
  }
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(previous_);
    ::freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  // 1 where libc has no UTF-8 locale or does not know the character.
  [[nodiscard]] std::size_t width(char32_t c) const {
    const int columns = locale_ == nullptr ? 1 : ::wcwidth(static_cast<wchar_t>(c));
    return columns < 0 ? 1 : static_cast<std::size_t>(columns);
  }

 private:
  locale_t locale_;
  locale_t previous_ = nullptr;
};

bool is_plain_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,@%+=").find(c) != std::string_view::npos;
}

}  // namespace

std::string sanitize_line(std::string_view text) { return sanitize(text, true); }
std::string sanitize_text(std::string_view text) { return sanitize(text, false); }

std::size_t display_width(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) return text.size();
  const Utf8Locale locale;
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    columns += point.valid ? locale.width(point.value) : 1;
    text.remove_prefix(point.bytes);
  }
  return columns;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(columns > width ? columns - width : 0, ' ') + std::string(text);
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  std::string_view kept = text;
  while (!kept.empty() && display_width(kept) + 1 > columns) {
    kept.remove_suffix(1);
    while (!kept.empty() && (static_cast<unsigned char>(text[kept.size()]) & 0xc0) == 0x80)
      kept.remove_suffix(1);
  }
  return std::string(kept) + "…";
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : sanitize_text(text)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string shell_word(std::string_view text) {
  const std::string safe = sanitize_line(text);
  if (!safe.empty() && std::all_of(safe.begin(), safe.end(), is_plain_in_shell)) return safe;
  std::string quoted = "'";
  for (const char c : safe) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace kbench
