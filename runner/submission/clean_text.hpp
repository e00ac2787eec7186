// Makes text that somebody else wrote safe to print, store and show: names of files, a compiler's
// words. What a terminal or a page could take for an instruction is spelled out instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbench {

// Valid UTF-8 without control characters (newline and tab stay), terminal escapes or characters
// that change the direction of writing; each such byte becomes \xNN. At most about `limit` bytes.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t limit);

// The same for one line: newlines and tabs are spelled out too.
[[nodiscard]] std::string clean_name(std::string_view text, std::size_t limit = 200);

}  // namespace kbench
