// The oracle's side of the control channel: one JSON request, one JSON reply, until the supervisor
// closes its end. Requests and replies: protocol.hpp.
#pragma once

#include "runner/backend/backend.hpp"
#include "runner/core/channel.hpp"

namespace kbench {

// Returns the process's exit code.
int serve_oracle(Channel& channel, Backend& backend, const std::string& torch_device,
                 const std::string& precision);

}  // namespace kbench
