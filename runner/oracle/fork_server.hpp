// The oracle's side of runner/measure/oracle_fork_server.hpp: a process that has loaded LibTorch,
// uses nothing of it, and forks an oracle for each request. Called by main() before anything that
// starts a thread, since only the calling thread survives a fork.
#pragma once

#include <optional>

#include "runner/core/channel.hpp"

namespace kbench {

// Returns in each new oracle, with the channel that it is to serve; in the fork server itself only
// when the supervisor is gone, with nothing.
[[nodiscard]] std::optional<Channel> wait_to_become_an_oracle(Channel server);

}  // namespace kbench
