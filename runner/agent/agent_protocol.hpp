// The protocol of kbench and kbench-agent, over the one channel between them. The agent leads: it
// asks for a connection to the endpoint, and hands over each turn, whose calls it cannot answer
// itself. What it says is not trusted: sizes and kinds are looked at, and nothing of it decides
// what a budget allows, which row is stored, or whether a tool may run.
//
//   kbench → agent    hello
//   agent → kbench    {"type": "connect"}             → {"ok"} with a connected socket, or
//   {"error"}
//                     {"type": "turn", ...}           → {"results": [...], "stop"}
//                     {"type": "note", "text"}
//                     {"type": "end", "reason", "text"}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

enum class AgentStyle {
  kReact,   // tools
  kRefine,  // none: each reply is a kernel
  kOnce,    // none: one prompt, one reply, and nothing is done with it
};
[[nodiscard]] std::string_view to_string(AgentStyle style);

// A message to the model that the supervisor words, in style refine: feedback that was chosen, or a
// question to a planner, which is no part of the conversation, and neither is the reply to it.
struct NextMessage {
  std::string text;
  bool to_planner = false;
};

// A stored turn: the reply and the answers to its calls.
struct AnsweredTurn {
  Json reply;                        // the assistant's message
  std::vector<std::string> results;  // results of its calls, in order
  std::optional<NextMessage> next = {};
  bool of_planner = false;  // the last message of the prompt was a question to the planner
};

struct AgentHello {
  std::string authority;  // authority of the endpoint, and its target
  std::string target;
  std::string key;  // empty: none is sent
  // https: the name or address that the endpoint's certificate has to be for, and the certificates
  // of its possible signers, as PEM. Empty: plain HTTP.
  std::string server;
  std::string certificates;
  Json settings;  // settings of every request: model, seed, ...
  Json tools;     // an array, as they are offered; empty: none
  AgentStyle style = AgentStyle::kReact;
  std::string kernel_path;     // refine: where a reply's kernel goes
  std::string workspace;       // refine: the handle of its workspace
  std::int64_t window = 0;     // tokens
  std::int64_t timeout_s = 0;  // patience for one answer
  // Where the episode stands: the messages of the last prompt, or those that it begins with; of
  // these, how many no compaction touches; and the turn that followed on that prompt.
  Json prompt;
  std::size_t opening = 0;
  int turns = 0;  // turns so far
  std::optional<AnsweredTurn> last;
  std::optional<std::int64_t> tokens;  // size of that prompt and its reply, as the endpoint counted
};

struct ReportedCall {
  std::string tool;
  std::string arguments;
};

// A turn that is to be stored, and its calls to be answered.
struct TurnReport {
  bool continues = false;
  std::vector<std::string> messages;  // texts: of the prompt, what was added or, else, all of it
  std::string reply;                  // text of the assistant's message
  std::string finish_reason;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
  std::size_t compacted = 0;
  std::int64_t wall_ms = 0;
  std::vector<ReportedCall> calls;
};

struct TurnAnswer {
  std::vector<std::string> results;  // results of the turn's calls, in order
  bool stop = false;                 // there is no further turn
  std::optional<NextMessage> next = {};
};

[[nodiscard]] Json to_json(const AgentHello& hello);
[[nodiscard]] Json to_json(const TurnReport& report);
[[nodiscard]] Json to_json(const TurnAnswer& answer);
// Errors: kBadInput.
[[nodiscard]] Result<AgentHello> agent_hello_from_json(const Json& json);
[[nodiscard]] Result<TurnReport> turn_report_from_json(const Json& json);
[[nodiscard]] Result<TurnAnswer> turn_answer_from_json(const Json& json);

}  // namespace kbench
