// The trusted side of a conversation with a kbench-agent: connects it with the endpoint, passes its
// notes on, and hands out what it says besides. An episode is many turns of one; a study asks once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runner/agent/agent_process.hpp"
#include "runner/agent/agent_protocol.hpp"
#include "runner/agent/endpoint.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// A greeting that says where the endpoint is, and nothing else yet.
[[nodiscard]] AgentHello hello_to(const Endpoint& endpoint, const std::string& key);

struct HeardFromAgent {
  std::optional<Json> message;  // a turn or an end, not looked at further
  std::string gone;             // why there is no agent any more; empty: `give_up` said so
};
// Waits for the agent's next turn, or its end. Errors: kInfrastructure, it says what makes no
// sense.
[[nodiscard]] Result<HeardFromAgent> hear_agent(
    AgentProcess& agent, const Endpoint& endpoint, const std::function<bool()>& give_up,
    const std::function<void(const std::string& text)>& note);

// The model that a study asks.
struct AskedModel {
  std::function<Result<AgentProcess>()> start_agent;
  Endpoint endpoint;
  std::string key;                    // empty: none is sent
  std::chrono::seconds timeout{600};  // patience for one answer
  std::int64_t window = 0;            // tokens
  std::function<bool()> stop;         // asked often
  std::function<void(const std::string& text)> note;
};

struct AskedOnce {
  std::string reply;  // text of the assistant's message; empty: none came
  std::optional<std::int64_t> tokens_in;
  std::optional<std::int64_t> tokens_out;
  bool too_large = false;  // none came because the prompt does not fit the window
  bool stopped = false;    // none came because all episodes are to stop
  std::string why;         // none came: the endpoint's words
};
// One prompt, one reply, by a kbench-agent of its own: what the endpoint sends is read in there.
// `settings`: of the request, as AgentHello has them. Errors: kInfrastructure, there is no agent.
[[nodiscard]] Result<AskedOnce> ask_once(const AskedModel& model, const Json& settings,
                                         const Json& messages);

}  // namespace kbench
