#include "runner/trajectory/state_context.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"

namespace kbench {
namespace {

constexpr std::array<std::string_view, 3> kRoles = {"system", "user", "assistant"};

Error no_context(const std::string& what) {
  return {ErrorCode::kBadInput, "a state's context " + what, "`kbench db check` says more."};
}

Result<ContextMessage> read_message(const Json& json) {
  if (!json.is_object()) return no_context("has a message that is none");
  ContextMessage message;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return no_context("has a message with something that is no text");
    const auto& text = value.get_ref<const std::string&>();
    if (key == "role")
      message.role = text;
    else if (key == "content")
      message.content = text;
    else if (key == "after")
      message.after = text;
    else
      return no_context("has a message with more than role, content and after");
  }
  if (std::find(kRoles.begin(), kRoles.end(), message.role) == kRoles.end())
    return no_context("has a message of nobody");
  return message;
}

}  // namespace

std::string state_context_text(const StateContext& context) {
  Json messages = Json::array();
  for (const ContextMessage& message : context) {
    Json one = {{"role", message.role}, {"content", message.content}};
    if (message.after) one["after"] = *message.after;
    messages.push_back(std::move(one));
  }
  return Json{{"messages", std::move(messages)}}.dump(-1, ' ', /*ensure_ascii=*/false,
                                                      Json::error_handler_t::replace);
}

Result<StateContext> read_state_context(std::string_view text) {
  if (text.size() > kMostContextBytes) return no_context("is too large");
  const auto json = parse_bounded_json(text);
  if (!json) return no_context("is no JSON: " + json.error().message);
  if (!json->is_object() || json->size() != 1 || !json->contains("messages") ||
      !json->at("messages").is_array() || json->at("messages").size() > kMostContextMessages)
    return no_context("has no list of messages");
  StateContext context;
  std::size_t anchors = 0;
  for (const Json& one : json->at("messages")) {
    auto message = read_message(one);
    if (!message) return message.error();
    if (message->after) ++anchors;
    context.push_back(std::move(*message));
  }
  if (anchors != 1) return no_context(fmt::format("has {} anchors", anchors));
  return context;
}

StateContext fresh_context(const std::string& task_prompt, const std::string& kernel) {
  const std::string fence = fence_for(kernel);
  return {
      {"user", task_prompt, {}},
      {"user", fmt::format("This is the kernel so far:\n\n{}\n{}\n{}\n\n", fence, kernel, fence),
       "Make it right where it is wrong, and faster where it is right. Answer with the whole "
       "kernel in one fence (```)."}};
}

std::string all_text(const StateContext& context) {
  std::string text;
  for (const ContextMessage& message : context) {
    text += message.content + '\n';
    if (message.after) text += *message.after + '\n';
  }
  return text;
}

std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

}  // namespace kbench
