// Text that others wrote (names, compiler output, messages), made safe to show. A terminal obeys
// control characters and both terminal and browser reorder text by bidirectional controls: every
// such character is replaced by a visible escape. Called by every report for every foreign string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbench {

// Control, bidirectional and invisible characters become \x1b or \u202e, bytes that are not UTF-8
// become \xff. sanitize_line also shows a line break as \n; sanitize_text keeps line breaks and
// turns a tab into four spaces.
[[nodiscard]] std::string sanitize_line(std::string_view text);
[[nodiscard]] std::string sanitize_text(std::string_view text);

// Columns a terminal uses for sanitized text: 0 for combining marks, 2 for wide characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Padded with spaces to `columns`, on the right or on the left; never cut.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);

// At most `columns` wide: what is longer ends in an ellipsis.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns);

// For HTML text and for attribute values in double quotes: sanitize_text, then & < > " '.
[[nodiscard]] std::string escape_html(std::string_view text);

// One word for a POSIX shell, quoted where it needs to be; control characters in it are shown as by
// sanitize_line, since such a command is meant for reading and copying.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace kbench
