// The question to an agent in a state: the messages of a prompt, with one anchor. A study's
// feedback stands at the anchor, and nowhere else; so what was said of the state's own kernel is
// cut out of the context, or feedback would be there before it was given. What was said of earlier
// kernels is history and stays. Kept as one text, whose hash is a part of the state's id:
//
//   {"messages":[{"content":TEXT,"role":ROLE}, ..., {"after":TEXT,"content":TEXT,"role":ROLE}]}
//
// where the anchor stands between "content" and "after" of exactly one message.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct ContextMessage {
  std::string role;                  // "system", "user" or "assistant"
  std::string content;               // up to the anchor where it has one
  std::optional<std::string> after;  // text behind the anchor; nothing: it has none

  friend bool operator==(const ContextMessage&, const ContextMessage&) = default;
};

using StateContext = std::vector<ContextMessage>;

inline constexpr std::size_t kMostContextBytes = 2u << 20;  // size of a context's text
inline constexpr std::size_t kMostContextMessages = 1000;

// The context as one text. Its messages are valid UTF-8.
[[nodiscard]] std::string state_context_text(const StateContext& context);
// Errors: kBadInput, what no context is: another role, no anchor or two, too large.
[[nodiscard]] Result<StateContext> read_state_context(std::string_view text);

// {task prompt, kernel, anchor}: where no prompt of the trajectory can be used.
[[nodiscard]] StateContext fresh_context(const std::string& task_prompt, const std::string& kernel);

// All that stands in it, a message after the other.
[[nodiscard]] std::string all_text(const StateContext& context);

// A fence that no line of the text closes: three backticks, or more than any run of them has.
[[nodiscard]] std::string fence_for(std::string_view text);

}  // namespace kbench
