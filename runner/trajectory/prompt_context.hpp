// The text that stands for a turn's prompt: which tools were offered, and the hashes of its
// messages. Its own hash is that of the exact prompt, and it grows by what was added, not by all
// that was said before. Lines, each ended by a line feed:
//
//   tools HASH                 or "tools -" where none were offered
//   after CONTEXT REPLY        the turn before: hash of its context, and of its reply; not in a
//   first
//                              turn, nor where the prompt was shortened
//   HASH                       a message; any number of these
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/trajectory/episode.hpp"

namespace kbench {

struct PromptContext {
  std::string tools;  // hash; empty: none
  struct Before {
    std::string context;  // hashes
    std::string reply;
  };
  std::optional<Before> before;
  std::vector<std::string> messages;  // hashes
};

// Text of a turn's context; `before` is that of the turn before it and counts if the turn continues
// it.
[[nodiscard]] std::string context_text(const Turn& turn, const PromptContext::Before& before);

// Errors: kBadInput, what no context says.
[[nodiscard]] Result<PromptContext> read_context(std::string_view text);

// 64 lower-case hexadecimal digits.
[[nodiscard]] bool is_text_hash(std::string_view text);

}  // namespace kbench
