// Starts kbench-agent, and connects it with its endpoint: the supervisor's side. In its sandbox the
// agent has no files, no network and can make no socket; all it has is its channel, over which it
// gets sockets that are connected already. So no rule of the sandbox is loosened for it, and it
// reaches no address but the one that the user named.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "runner/agent/endpoint.hpp"
#include "runner/core/channel.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Number of the descriptor of the agent's end.
inline constexpr int kAgentChannel = 3;

struct AgentProcess {
  std::unique_ptr<SandboxedProcess> process;
  Channel channel;
};
// Errors: kInfrastructure.
[[nodiscard]] Result<AgentProcess> start_agent(Sandbox& sandbox,
                                               const std::filesystem::path& program);
// Starts one agent after the other, also from several threads, in the sandbox of this machine.
[[nodiscard]] std::function<Result<AgentProcess>()> agent_starter(std::filesystem::path program);

// A TCP connection. Errors: kUsage, an unknown host; kTimeout; kInfrastructure, it is refused or
// cannot be reached.
[[nodiscard]] Result<UniqueFd> connect_to(const Endpoint& endpoint,
                                          std::chrono::milliseconds patience);

}  // namespace kbench
