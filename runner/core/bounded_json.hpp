// Untrusted JSON, as it comes over a channel or out of a database. Nesting is bounded, because a
// walk through the JSON is on the stack.
#pragma once

#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Greatest depth: deeper than anything that we send.
inline constexpr int kMaxJsonDepth = 32;

// Errors: kBadInput, with the parser's words.
[[nodiscard]] Result<Json> parse_bounded_json(std::string_view text, int deepest = kMaxJsonDepth);

}  // namespace kbench
