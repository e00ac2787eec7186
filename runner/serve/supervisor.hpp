// `kbench serve` without its judge: takes what the gate asks, keeps it in the queue and on the
// disk, has it judged, and says what came of it. It trusts only its judge, and has no socket but
// the channel of its gate.
//
// Two threads: the caller's answers the gate; the other one lets the judge work. What they share is
// behind one lock, which no thread holds while it waits.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runner/core/result.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/gate_protocol.hpp"
#include "runner/serve/judge.hpp"
#include "runner/serve/order_queue.hpp"
#include "runner/serve/spool.hpp"

namespace kbench {

struct ServeSettings {
  // Opens what speaks with clients; asked again where that has died. Errors end serve().
  std::function<Result<Gate>()> open_gate;
  GateHello hello;  // first message to the gate
  OrderQueue::Limits limits;
  std::size_t batch = 8;  // orders of one run, at most
  // A descriptor that becomes readable when it is time to end, an eventfd or a signalfd: what is
  // judged is finished, then serve() returns. When it becomes so once more, `abandon` is called,
  // which ends the process; what is judged is lost then, and judged again by the next server.
  int end_fd = -1;
  std::function<void()> abandon;
  std::function<void(const std::string&)> note;  // a line for the operator
};

// How serving ended.
struct ServeEnd {
  std::size_t judged = 0;
  std::size_t left = 0;  // orders that wait for the next server
};

// Serves until `end_fd` says so. Errors: those of open_gate; kInfrastructure, a gate that dies
// again and again.
[[nodiscard]] Result<ServeEnd> serve(const ServeSettings& settings, Judge& judge, Spool& spool);

}  // namespace kbench
