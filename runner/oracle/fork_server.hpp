// The oracle's side of runner/measure/oracle/oracle_fork_server.hpp: a process that has loaded
// LibTorch, uses nothing of it, and forks an oracle for each request. Nothing of a task ever runs
// in it, and none of its children can write to it. main() calls it before anything that starts a
// thread, since only the calling thread survives a fork.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/core/channel.hpp"

namespace kbench {

// Returns in each new oracle, with the channel that it is to serve and a folder of its own below
// `scratch` as working directory and TMPDIR; in the fork server itself only when the supervisor is
// gone, with nothing. What an oracle leaves in `scratch` is removed before the next one is forked.
[[nodiscard]] std::optional<Channel> wait_to_become_an_oracle(Channel server,
                                                              const std::filesystem::path& scratch);

}  // namespace kbench
