// A C++ or CUDA source as tokens, without comments, directives and the other branches of #if. Read
// tolerantly: any text has tokens. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kbench {

struct Token {
  enum class Kind { kName, kNumber, kString, kSign };
  Kind kind = Kind::kSign;
  std::string_view text;  // part of the source; a sign is "++", "--", "::", "->", or one character
  int line = 0;           // counted from 1
  int indent = 0;         // indent of its line, in columns
  bool first = false;     // first of its line

  [[nodiscard]] bool is(std::string_view what) const { return text == what; }
  [[nodiscard]] bool is_name() const { return kind == Kind::kName; }
};

// The first tokens, at most `most`. The source outlives them.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view source, std::size_t most = 1u << 18);

}  // namespace kbench
