#include "reports/facts/sanitize.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

namespace kbench {
namespace {

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

std::size_t display_width(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) return text.size();
  const Utf8Locale locale;
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
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
