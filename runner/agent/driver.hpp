// The loop of one episode as kbench-agent has it: prompt, reply, calls, answers, and again. It
// holds the messages and knows nothing else; the outside world is a few functions, so that tests
// have another one. What a reply calls is asked by the supervisor as well.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/agent/agent_protocol.hpp"
#include "runner/agent/chat.hpp"
#include "runner/agent/compaction.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
};

struct AgentOutside {
  // One request to the endpoint. Errors: kBadInput, what came is none that can be read; else none
  // came.
  std::function<Result<HttpAnswer>(const std::string& body)> post;
  // Stores the turn and answers its calls. Errors: the supervisor is gone.
  std::function<Result<TurnAnswer>(const TurnReport& report)> hand_over;
  std::function<void(const std::string& text)> note;
  std::function<void(std::chrono::milliseconds)> wait;
};

// The calls that a reply makes: of tools, or, without any, of what is done with the kernel in it.
[[nodiscard]] std::vector<ReportedCall> reported_calls(const AgentHello& hello,
                                                       const Json& message);

// How the loop came to its end by itself; where it was told to stop, or the supervisor is gone, the
// reason is empty. "endpoint", "window", "answered".
struct AgentEnd {
  std::string reason;
  std::string text;
};

class AgentDriver {
 public:
  AgentDriver(AgentHello hello, AgentOutside outside);
  AgentEnd run();

 private:
  // The next reply, after as many tries as it takes. Errors: kTimeout, none came; kBadInput, none
  // that can be read; kUsage, the endpoint refuses.
  Result<ChatReply> ask();
  // Shortens the prompt where it must be; false where it does not fit all the same.
  bool make_fit();
  [[nodiscard]] TurnReport report_of(const ChatReply& reply, std::int64_t wall_ms) const;
  // Takes a reply with its results, or with the judge's answer; `next`: as the supervisor words it.
  void take(const Json& reply, const std::vector<std::string>& results,
            const std::optional<NextMessage>& next);

  AgentHello hello_;
  AgentOutside outside_;
  Json messages_;
  std::size_t told_ = 0;  // messages that the last turn's prompt and reply were
  Compacted compacted_;
  bool anew_ = true;  // the prompt does not continue the one before
  int turns_ = 0;
  bool asks_planner_ = false;           // the last message is a question to the planner
  std::optional<std::int64_t> tokens_;  // tokens of the first `told_` messages
};

}  // namespace kbench
