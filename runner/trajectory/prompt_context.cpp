#include "runner/trajectory/prompt_context.hpp"

#include <algorithm>
#include <cstddef>

namespace kbench {
namespace {

constexpr std::size_t kHashLetters = 64;
constexpr std::string_view kTools = "tools ";
constexpr std::string_view kAfter = "after ";
constexpr std::string_view kNone = "-";

Error bad(const char* what) {
  return {ErrorCode::kBadInput, std::string("a prompt's context ") + what, ""};
}

// The next line, without its end; nothing where the text has none.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

bool is_text_hash(std::string_view text) {
  return text.size() == kHashLetters && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string context_text(const Turn& turn, const PromptContext::Before& before) {
  std::string text(kTools);
  text += turn.tools.empty() ? std::string(kNone) : turn.tools;
  text += '\n';
  if (turn.continues) {
    text += kAfter;
    text += before.context + ' ' + before.reply + '\n';
  }
  for (const std::string& message : turn.messages) text += message + '\n';
  return text;
}

Result<PromptContext> read_context(std::string_view text) {
  PromptContext context;
  const auto first = take_line(text);
  if (!first || !first->starts_with(kTools)) return bad("does not say which tools were offered");
  const std::string_view tools = first->substr(kTools.size());
  if (tools != kNone && !is_text_hash(tools)) return bad("names tools by what is no hash");
  if (tools != kNone) context.tools = tools;
  bool is_first = true;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (!line) return bad("ends within a line");
    if (is_first && line->starts_with(kAfter)) {
      const std::string_view rest = line->substr(kAfter.size());
      const bool two = rest.size() == 2 * kHashLetters + 1 && rest[kHashLetters] == ' ';
      if (!two || !is_text_hash(rest.substr(0, kHashLetters)) ||
          !is_text_hash(rest.substr(kHashLetters + 1)))
        return bad("follows on what is no hash");
      context.before = PromptContext::Before{std::string(rest.substr(0, kHashLetters)),
                                             std::string(rest.substr(kHashLetters + 1))};
    } else if (is_text_hash(*line)) {
      context.messages.emplace_back(*line);
    } else {
      return bad("names a message by what is no hash");
    }
    is_first = false;
  }
  return context;
}

}  // namespace kbench
