// kbench-agent without a model: what it says on its channel stands in a script, which runs in a
// thread. Starts as often as it is asked to.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runner/agent/agent_process.hpp"
#include "runner/agent/agent_protocol.hpp"
#include "runner/core/json.hpp"

namespace kbench::test {

// One conversation, from the agent's side.
class AgentSide {
 public:
  explicit AgentSide(Channel channel) : channel_(std::move(channel)) { hello = hear(); }

  // A turn with these calls; returns {"results", "stop"}, both null where nobody answers.
  Json turn(const std::vector<ReportedCall>& calls, const std::string& content = "") {
    TurnReport report;
    report.continues = hello.at("turns") > 0 || turns_++ > 0;
    if (!report.continues) report.messages = {R"({"role":"user","content":"go"})"};
    Json reply = {{"role", "assistant"}, {"content", content}, {"tool_calls", Json::array()}};
    int number = 0;
    for (const ReportedCall& call : calls)
      reply["tool_calls"].push_back(
          {{"id", std::to_string(number++)},
           {"type", "function"},
           {"function", {{"name", call.tool}, {"arguments", call.arguments}}}});
    report.reply = reply.dump();
    report.finish_reason = "tool_calls";
    report.prompt_tokens = 100;
    report.completion_tokens = 10;
    report.calls = calls;
    say(to_json(report));
    Json answer = hear();
    return answer.is_null() ? Json{{"results", nullptr}, {"stop", nullptr}} : answer;
  }
  void end(const std::string& reason) {
    say({{"type", "end"}, {"reason", reason}, {"text", "that is all"}});
  }
  // Writes kernels/main.cpp and submits it.
  Json write_and_submit(const std::string& text) {
    const Json handle = hello.at("workspace");
    return turn({{"write",
                  Json{{"workspace", handle}, {"path", "kernels/main.cpp"}, {"text", text}}.dump()},
                 {"submit", Json{{"workspace", handle}}.dump()}});
  }
  void say(const Json& message) { (void)channel_.send(message); }
  // Null where nobody is there any more.
  Json hear() {
    const auto message = channel_.receive(std::chrono::seconds{30});
    return message ? message->body : Json();
  }

  Json hello;

 private:
  Channel channel_;
  int turns_ = 0;
};

class ScriptedAgents {
 public:
  using Script = std::function<void(AgentSide&)>;
  explicit ScriptedAgents(Script script) : script_(std::move(script)) {}

  Result<AgentProcess> start() {
    auto ends = Channel::make_pair();
    if (!ends) return ends.error();
    const std::scoped_lock lock(mutex_);
    ++started_;
    threads_.emplace_back([this, end = Channel(std::move(ends->second))]() mutable {
      AgentSide side(std::move(end));
      if (!side.hello.is_null()) script_(side);
    });
    return AgentProcess{nullptr, Channel(std::move(ends->first))};
  }
  [[nodiscard]] int started() const { return started_; }

 private:
  Script script_;
  std::mutex mutex_;
  int started_ = 0;
  std::vector<std::jthread> threads_;  // each ends with its conversation
};

}  // namespace kbench::test
