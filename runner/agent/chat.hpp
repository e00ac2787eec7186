// Requests to an OpenAI-compatible endpoint, and the parts of its answer that count. Pure. The
// answer is foreign text: it is bounded, and what is sent back later is made anew of the parts that
// are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

inline constexpr std::size_t kMostReplyBytes = 1u << 20;
inline constexpr std::size_t kMostCallsOfATurn = 32;

struct ChatCall {
  std::string id;         // id that its answer names
  std::string tool;       // the model's name for it
  std::string arguments;  // the model's text; need not be JSON
};

struct ChatReply {
  Json
      message;  // {role, content[, tool_calls]}, as it is sent back; each call has an id of its own
  std::string finish_reason;  // empty where the endpoint says none
  std::vector<ChatCall> calls;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
};

// `settings` with messages and, where there are any, tools.
[[nodiscard]] Json chat_request(const Json& settings, const Json& messages, const Json& tools);

// `turn` numbers the ids of calls that came without any. Errors: kBadInput, with what is wrong.
[[nodiscard]] Result<ChatReply> read_chat_reply(const std::string& body, int turn);

// An error's own words in an answer that is none; empty where it has none.
[[nodiscard]] std::string error_words(const std::string& body);

[[nodiscard]] Json tool_message(const std::string& call_id, const std::string& content);
[[nodiscard]] Json user_message(const std::string& content);

// A message as one line of JSON: what is stored and hashed.
[[nodiscard]] std::string message_text(const Json& message);

}  // namespace kbench
