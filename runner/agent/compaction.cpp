#include "runner/agent/compaction.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runner/agent/chat.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

constexpr std::size_t kBytesPerToken = 3;
constexpr std::string_view kMark = "[left out: ";  // results are JSON, and never begin so
constexpr std::size_t kWorthIt = 300;  // bytes: a shorter one is hardly longer than the line

std::int64_t tokens_of(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + kBytesPerToken - 1) / kBytesPerToken);
}

bool is_result(const Json& message) {
  const std::string role = message.value("role", "");
  return role == "tool" || role == "user";
}

bool is_short(const Json& message) {
  return is_result(message) && message.value("content", "").starts_with(kMark);
}

std::string line_for(const std::string& content, bool recall) {
  return recall ? fmt::format("{}{} bytes of this result; recall returns them by the hash {}]",
                              kMark, content.size(), sha256(content))
                : fmt::format("{}{} bytes of this result]", kMark, content.size());
}

std::int64_t estimate(const Json& messages, const PromptSize& size) {
  std::int64_t tokens = size.tokens.value_or(0);
  for (std::size_t i = size.tokens ? size.counted : 0; i < messages.size(); ++i)
    tokens += tokens_of(message_text(messages[i]).size());
  return tokens;
}

}  // namespace

Compacted compact(Json& messages, std::size_t opening, std::size_t seen, const PromptSize& size,
                  bool recall) {
  Compacted done;
  done.tokens = estimate(messages, size);
  const bool too_large = done.tokens * 4 > size.window * 3;
  for (std::size_t i = opening; too_large && i < std::min(seen, messages.size()); ++i) {
    if (done.tokens * 2 <= size.window) break;
    Json& message = messages[i];
    const std::string content = message.value("content", "");
    if (!is_result(message) || is_short(message) || content.size() < kWorthIt) continue;
    const std::string line = line_for(content, recall);
    done.tokens -= tokens_of(content.size()) - tokens_of(line.size());
    message["content"] = line;
    done.changed = true;
  }
  for (const Json& message : messages) done.shortened += is_short(message) ? 1u : 0u;
  done.fits = done.tokens <= size.window;
  return done;
}

}  // namespace kbench
