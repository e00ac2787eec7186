#include "runner/agent/chat.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/lone_surrogates.hpp"
#include "runner/core/text_in.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestId = 128;
constexpr std::size_t kLongestTool = 128;
constexpr std::size_t kLongestReason = 64;
constexpr std::size_t kShownOfAnError = 300;

Error bad(std::string what) {
  return {ErrorCode::kBadInput, "the endpoint's answer " + std::move(what),
          "the endpoint has to speak OpenAI's chat completions"};
}

Json member(const Json& object, const char* name) {
  return object.is_object() ? object.value(name, Json()) : Json();
}

std::optional<std::int64_t> count_in(const Json& object, const char* name) {
  const Json value = member(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  const auto count = value.get<std::int64_t>();
  return count >= 0 ? std::optional(count) : std::nullopt;
}

// Some servers send a list of parts, of which those of another type, as what was thought, are left
// out. Nothing where it is of none of these forms.
std::optional<std::string> content_of(const Json& message) {
  const Json content = member(message, "content");
  if (content.is_null()) return "";
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return std::nullopt;
  std::string text;
  for (const Json& part : content) {
    const std::string type = text_in(part, "type");
    const Json words = member(part, "text");
    const bool is_text = type.empty() || type == "text";
    if (!part.is_object() || (is_text && !words.is_string())) return std::nullopt;
    if (is_text) text += words.get<std::string>();
  }
  return text;
}

bool are_calls(const Json& calls) {
  return calls.is_null() ||
         (calls.is_array() && std::all_of(calls.begin(), calls.end(),
                                          [](const Json& call) { return call.is_object(); }));
}

ChatCall call_of(const Json& json, int turn, std::size_t position, std::set<std::string>& ids) {
  const Json function = member(json, "function");
  ChatCall call{text_in(json, "id"), text_in(function, "name").substr(0, kLongestTool), ""};
  if (call.id.empty() || call.id.size() > kLongestId || !ids.insert(call.id).second) {
    call.id = fmt::format("call_{}_{}", turn, position);
    ids.insert(call.id);
  }
  const Json arguments = member(function, "arguments");
  if (arguments.is_string())
    call.arguments = arguments.get<std::string>();
  else if (!arguments.is_null())
    call.arguments = message_text(arguments);
  return call;
}

}  // namespace

Json chat_request(const Json& settings, const Json& messages, const Json& tools) {
  Json request = settings;
  request["messages"] = messages;
  if (!tools.empty()) request["tools"] = tools;
  return request;
}

Result<ChatReply> read_chat_reply(const std::string& body, int turn) {
  const auto json = parse_bounded_json(without_lone_surrogates(body));
  if (!json) return bad("is no JSON");
  const Json choices = member(*json, "choices");
  if (!choices.is_array() || choices.empty()) return bad("has no choices");
  const Json message = member(choices[0], "message");
  if (!message.is_object()) return bad("has no message");
  const auto content = content_of(message);
  if (!content) return bad("has a content that is no text");
  const Json calls = member(message, "tool_calls");
  if (!are_calls(calls)) return bad("has tool_calls that are no list of calls");
  ChatReply reply;
  reply.finish_reason = clean_name(text_in(choices[0], "finish_reason"), kLongestReason);
  const Json usage = member(*json, "usage");
  reply.prompt_tokens = count_in(usage, "prompt_tokens");
  reply.completion_tokens = count_in(usage, "completion_tokens");
  reply.message = {{"role", "assistant"}, {"content", *content}};
  std::set<std::string> ids;
  for (std::size_t i = 0; i < calls.size() && i < kMostCallsOfATurn; ++i) {
    ChatCall call = call_of(calls[i], turn, i, ids);
    reply.message["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.tool}, {"arguments", call.arguments}}}});
    reply.calls.push_back(std::move(call));
  }
  if (message_text(reply.message).size() > kMostReplyBytes)
    return bad(fmt::format("has a message larger than {} KiB", kMostReplyBytes >> 10));
  return reply;
}

std::string error_words(const std::string& body) {
  const auto json = parse_bounded_json(body);
  if (!json) return "";
  const Json error = member(*json, "error");
  std::string text = error.is_string() ? error.get<std::string>() : text_in(error, "message");
  if (text.empty()) text = text_in(*json, "message");
  return clean_name(text, kShownOfAnError);
}

Json tool_message(const std::string& call_id, const std::string& content) {
  return {{"role", "tool"}, {"tool_call_id", call_id}, {"content", content}};
}

Json user_message(const std::string& content) { return {{"role", "user"}, {"content", content}}; }

std::string message_text(const Json& message) {
  return message.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace kbench
