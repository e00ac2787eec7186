// Makes a prompt fit the model's window: above three quarters of it, the oldest results shrink to a
// line that says how much is left out and by which hash `recall` returns it, until the prompt takes
// half of the window. A pure function of the messages and of what the endpoint counted, so that an
// episode that goes on after a kill has the prompts that it would have had.
//
// Messages are never removed, nor is what the model said shortened, nor are the results of the last
// turn, which it has not seen yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runner/core/json.hpp"

namespace kbench {

struct PromptSize {
  std::int64_t window = 0;  // tokens
  // Tokens of the first `counted` messages, as the endpoint counted them. Empty: they are
  // estimated, like all later ones: three bytes are a token.
  std::optional<std::int64_t> tokens;
  std::size_t counted = 0;
};

struct Compacted {
  std::int64_t tokens = 0;    // about, after it
  std::size_t shortened = 0;  // messages that stand there shortened, those from before included
  bool changed = false;
  bool fits = true;  // the chat fits into the window
};

// `opening`: so many first messages are never shortened. `seen`: so many first messages were in a
// prompt before. `recall`: whether the model has that tool.
[[nodiscard]] Compacted compact(Json& messages, std::size_t opening, std::size_t seen,
                                const PromptSize& size, bool recall);

}  // namespace kbench
