// Foreign text in tables and pages: how wide it is, cut, padded, and quoted for HTML and for a
// shell. What it may not do to a reader is runner/os/clean_text.hpp's, which every foreign string
// passes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runner/os/clean_text.hpp"

namespace kbench {

// Columns a terminal uses for sanitized text: 0 for combining marks, 2 for wide characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The text padded with spaces to `columns`, on the right or on the left; never cut.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);

// The text in at most `columns` columns: a longer one ends in an ellipsis.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns);

// The text for HTML and for attribute values in double quotes: sanitize_text, then & < > " '.
[[nodiscard]] std::string escape_html(std::string_view text);

// One word for a POSIX shell, quoted where it needs to be; control characters in it are shown as by
// sanitize_line, since such a command is meant for reading and copying.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace kbench
