// Carries requests to the desk and its answers back: HTTP/1.1, server-sent events and WebSocket on
// a listening socket, the supervisor's messages on a channel. Its source is the only one of the
// gate that includes Boost.
#pragma once

#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {

// Serves until the supervisor says goodbye or is gone.
void run_gate(UniqueFd listener, Channel& channel, GateHello hello);

}  // namespace kbench
