#include "runner/agent/agent_protocol.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/agent/chat.hpp"

namespace kbench {
namespace {

// A malformed message is a fault of ours, or its sender is no kbench-agent.
template <class Read>
auto reading(const char* what, Read&& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const Json::exception& problem) {
    return Error{ErrorCode::kBadInput, fmt::format("malformed {}: {}", what, problem.what()), ""};
  }
}

Json optional_json(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

std::optional<std::int64_t> optional_count(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<std::int64_t>();
}

Json next_json(const std::optional<NextMessage>& next) {
  return next ? Json{{"text", next->text}, {"to_planner", next->to_planner}} : Json();
}

std::optional<NextMessage> next_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return NextMessage{json.at("text").get<std::string>(), json.at("to_planner").get<bool>()};
}

AgentStyle style_of(const std::string& name) {
  for (const AgentStyle style : {AgentStyle::kRefine, AgentStyle::kOnce})
    if (to_string(style) == name) return style;
  return AgentStyle::kReact;
}

}  // namespace

std::string_view to_string(AgentStyle style) {
  switch (style) {
    case AgentStyle::kReact: return "react";
    case AgentStyle::kRefine: return "refine";
    case AgentStyle::kOnce: return "once";
  }
  return "";
}

Json to_json(const AgentHello& hello) {
  Json last;
  if (hello.last)
    last = {{"reply", hello.last->reply},
            {"results", hello.last->results},
            {"next", next_json(hello.last->next)},
            {"of_planner", hello.last->of_planner}};
  return {{"authority", hello.authority},
          {"target", hello.target},
          {"key", hello.key},
          {"server", hello.server},
          {"certificates", hello.certificates},
          {"settings", hello.settings},
          {"tools", hello.tools},
          {"style", to_string(hello.style)},
          {"kernel_path", hello.kernel_path},
          {"workspace", hello.workspace},
          {"window", hello.window},
          {"timeout_s", hello.timeout_s},
          {"prompt", hello.prompt},
          {"opening", hello.opening},
          {"turns", hello.turns},
          {"last", std::move(last)},
          {"tokens", optional_json(hello.tokens)}};
}

Result<AgentHello> agent_hello_from_json(const Json& json) {
  return reading("hello", [&] {
    AgentHello hello;
    hello.authority = json.at("authority").get<std::string>();
    hello.target = json.at("target").get<std::string>();
    hello.key = json.at("key").get<std::string>();
    hello.server = json.at("server").get<std::string>();
    hello.certificates = json.at("certificates").get<std::string>();
    hello.settings = json.at("settings");
    hello.tools = json.at("tools");
    hello.style = style_of(json.at("style").get<std::string>());
    hello.kernel_path = json.at("kernel_path").get<std::string>();
    hello.workspace = json.at("workspace").get<std::string>();
    hello.window = json.at("window").get<std::int64_t>();
    hello.timeout_s = json.at("timeout_s").get<std::int64_t>();
    hello.prompt = json.at("prompt");
    hello.opening = json.at("opening").get<std::size_t>();
    hello.turns = json.at("turns").get<int>();
    if (const Json& last = json.at("last"); !last.is_null())
      hello.last =
          AnsweredTurn{last.at("reply"), last.at("results").get<std::vector<std::string>>(),
                       next_of(last.at("next")), last.at("of_planner").get<bool>()};
    hello.tokens = optional_count(json.at("tokens"));
    return hello;
  });
}

Json to_json(const TurnReport& report) {
  Json calls = Json::array();
  for (const ReportedCall& call : report.calls)
    calls.push_back({{"tool", call.tool}, {"arguments", call.arguments}});
  return {{"type", "turn"},
          {"continues", report.continues},
          {"messages", report.messages},
          {"reply", report.reply},
          {"finish_reason", report.finish_reason},
          {"prompt_tokens", optional_json(report.prompt_tokens)},
          {"completion_tokens", optional_json(report.completion_tokens)},
          {"compacted", report.compacted},
          {"wall_ms", report.wall_ms},
          {"calls", std::move(calls)}};
}

Result<TurnReport> turn_report_from_json(const Json& json) {
  auto report = reading("turn", [&] {
    TurnReport made;
    made.continues = json.at("continues").get<bool>();
    made.messages = json.at("messages").get<std::vector<std::string>>();
    made.reply = json.at("reply").get<std::string>();
    made.finish_reason = json.at("finish_reason").get<std::string>();
    made.prompt_tokens = optional_count(json.at("prompt_tokens"));
    made.completion_tokens = optional_count(json.at("completion_tokens"));
    made.compacted = json.at("compacted").get<std::size_t>();
    made.wall_ms = json.at("wall_ms").get<std::int64_t>();
    for (const Json& call : json.at("calls"))
      made.calls.push_back(
          {call.at("tool").get<std::string>(), call.at("arguments").get<std::string>()});
    return made;
  });
  if (!report) return report;
  const bool sound = report->calls.size() <= kMostCallsOfATurn && report->wall_ms >= 0 &&
                     report->prompt_tokens.value_or(0) >= 0 &&
                     report->completion_tokens.value_or(0) >= 0 && report->compacted <= 100'000;
  if (!sound) return Error{ErrorCode::kBadInput, "malformed turn: a number that none can have", ""};
  return report;
}

Json to_json(const TurnAnswer& answer) {
  return {{"results", answer.results}, {"stop", answer.stop}, {"next", next_json(answer.next)}};
}

Result<TurnAnswer> turn_answer_from_json(const Json& json) {
  return reading("answer", [&] {
    return TurnAnswer{json.at("results").get<std::vector<std::string>>(),
                      json.at("stop").get<bool>(), next_of(json.at("next"))};
  });
}

}  // namespace kbench
