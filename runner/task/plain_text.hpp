// Rules for text of a task file that ends up in generated source or before people's eyes.
#pragma once

#include <string_view>

namespace kbench {

// Letters of ASCII, digits and underscores, and not empty.
[[nodiscard]] bool is_word(std::string_view text);
// The same without a digit in front: what C and Python take for a name.
[[nodiscard]] bool is_identifier(std::string_view text);
// True for a text without control characters: neither C0 with its line breaks, nor DEL, nor C1.
// `text` is UTF-8.
[[nodiscard]] bool is_one_line(std::string_view text);

}  // namespace kbench
