// Makes foreign text safe to print, store and show: names of files, a compiler's words, a title. A
// terminal obeys control characters, and terminal and browser reorder text by bidirectional
// controls; what they could take for an instruction is shown instead. There is one set of such
// characters (steers_a_reader); the functions differ only in how they write them. Invariant:
// foreign text passes one of them before it is printed, stored or shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbench {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;  // false: `value` is a byte that is not UTF-8 here
};

// The first character of `text`, which is not empty. Strict: no overlong forms, no surrogates,
// nothing above U+10FFFF.
[[nodiscard]] CodePoint decode_utf8(std::string_view text);

// Characters that steer instead of showing: C0, DEL, C1, marks of direction, zero-width and other
// invisible ones, line and paragraph separators, the byte-order mark, tags, noncharacters.
[[nodiscard]] bool steers_a_reader(char32_t c);

// Text that may be stored. Each byte that is not safe becomes \xNN; in a text, newline and tab
// stay. At most about `limit` bytes.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t limit);
[[nodiscard]] std::string clean_name(std::string_view text, std::size_t limit = 200);
// Last line of a program's output that is not blank, as clean_name() writes it: usually the cause
// of its death. Empty if nothing was printed.
[[nodiscard]] std::string last_words(std::string_view printed, std::size_t limit = 300);

// Text for reports: unsafe characters become \x1b or \u202e, bytes that are not UTF-8 become \xff.
// sanitize_line also shows a line break as \n, and a tab as a blank; sanitize_text keeps line
// breaks and turns a tab into four spaces.
[[nodiscard]] std::string sanitize_line(std::string_view text);
[[nodiscard]] std::string sanitize_text(std::string_view text);

// Text for one line on a terminal: a question mark for each that is not safe; tabs and line feeds
// become blanks.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace kbench
