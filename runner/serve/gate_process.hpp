// Starts kbench-gate, the one process of a server that talks to the network. The socket that it
// listens on is opened here and handed over; then only the gate has it. In its sandbox the gate has
// no files, no network of its own and can make no socket: all it can do is to accept on that one,
// and to speak on its channel. So no rule of the sandbox had to be loosened for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/core/channel.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Number of the descriptor that the gate is given.
inline constexpr int kGateChannel = 3;
inline constexpr int kGateListener = 4;

// A listening TCP socket. `address`: 127.0.0.0/8 or ::1, as digits; others are refused, because
// what the gate speaks is not encrypted. `port`: 0 for one that is free. Errors: kUsage.
[[nodiscard]] Result<UniqueFd> listen_on(const std::string& address, int port);
// The port that it got.
[[nodiscard]] int port_of(const UniqueFd& listener);

struct Gate {
  std::unique_ptr<SandboxedProcess> process;  // null: it is a part of this one
  Channel channel;
};
// Errors: kInfrastructure.
[[nodiscard]] Result<Gate> start_gate(Sandbox& sandbox, const std::filesystem::path& program,
                                      UniqueFd listener);

}  // namespace kbench
