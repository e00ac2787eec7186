// Puts back a brace that was left out, where the indentation tells its place. A source whose braces
// pair off is left as it is, however it is indented. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/feedback/source_tokens.hpp"

namespace kbench {

// A sign that seems to be left out of a source.
struct Omission {
  int line = 0;
  char sign = ';';

  friend bool operator==(const Omission&, const Omission&) = default;
};

// Few braces at most: a text with more open than that is no source.
void repair_braces(std::vector<Token>& tokens, std::vector<Omission>& left_out);

// Place of the bracket that pairs off with the one at `close`, looking back; `close` where there is
// none near.
[[nodiscard]] std::size_t opening_of(const std::vector<Token>& tokens, std::size_t close);

}  // namespace kbench
