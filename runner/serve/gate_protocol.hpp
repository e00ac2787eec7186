// The protocol of supervisor and gate, as JSON over core/channel:
//
//   supervisor: {"say": "hello", …}        once, first: GateHello
//   gate:       {"ask": 7, "what": …, …}   numbers are the gate's
//                 "order"    {order, reward}       have it judged
//                 "row"      {id, reward}          what became of it
//                 "task"     {task, size}          what an agent has to know of it
//                 "tool"     {tool, arguments, agent}   one of an agent's tools (serve/tools.hpp)
//                 "metrics"  {}                    what the server did (serve/serve_meter.hpp)
//   supervisor: {"answer": 7, "status": 200, "body": …}
//                 200 the row is there: {id, run_id, row}; of what is not stored {id, result},
//                 once;
//                     of a tool that takes no time {result}
//                 202 it waits: {id, state: "queued" | "running" | "waiting"}, with the last one
//                   waiting: {held_by, held_since, since, place, until | null}, all about the
//                   device
//                 404, 422, 429, 500, 503: {error: {message, hint, fault}}; of 429 with the
//                     seconds after which there is a place again: error.retry_after_s
//   supervisor: {"event": "queued" | "running" | "waiting" | "done" | "failed" | "put_off",
//                "id", "task", "agent"}
//                 waiting: of an order in hand, with the same `waiting`; then running once more
//                 put_off: it stays where it is until a server is started again
//   supervisor: {"say": "draining"}, {"say": "bye"}
//
// An answer comes before the event that ends what it speaks of. The gate is not trusted: the
// supervisor takes nothing from it but the requests above, and reads them as it reads any untrusted
// text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/token.hpp"

namespace kbench {

// Facts for the gate, which has no files.
struct GateHello {
  std::string version;             // kbench's version
  std::string device;              // device of the judge: "cpu", "cuda"
  std::string device_name;         // "NVIDIA H200"
  std::vector<std::string> names;  // clients' names for this host, besides those of loopback
  std::vector<KnownToken> tokens;
  std::string openapi;  // the document at /openapi.json
  limits::Patience patience;
};

[[nodiscard]] Json hello_json(const GateHello& hello);
[[nodiscard]] Result<GateHello> hello_from_json(const Json& json);

// {error: {message, hint, fault}}, the body of a refusal.
[[nodiscard]] Json refusal_json(const std::string& message, const std::string& hint,
                                const std::string& fault = "client");

// The status and the body that an error of ours is answered with: 422 for what a client or its
// submission did wrong, 404 for what there is none of, 500 for our own.
struct Refusal {
  int status = 500;
  Json body;
};
[[nodiscard]] Refusal refusal_of(const Error& error);

}  // namespace kbench
