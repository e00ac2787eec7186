// The Model Context Protocol, of which kbench serves tools and nothing else. Both of its eras:
// since 2026-07-28 each request says its version and capabilities in `_meta`, over HTTP in headers
// as well, and there is no session; before that, `initialize` opens one. Workspaces have handles
// that are arguments, so both share all but the envelope. Pure functions, for POST /mcp, OpenEnv's
// socket and `kbench mcp`.
//
// Errors are JSON-RPC's: −32700 no JSON, −32600 no request, −32601 unknown method, −32602 wrong
// parameters (an unknown tool too), −32020 headers that contradict the body, −32022 an unknown
// version. What is wrong with a tool's arguments is a result with `isError`, for the model to read.
#pragma once

#include <string>
#include <variant>

#include "runner/core/json.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/gate/shapes/http_message.hpp"

namespace kbench {

inline constexpr const char* kStatelessMcp = "2026-07-28";

// The state of a client that lasts longer than a message.
struct McpPeer {
  bool over_http = false;
  bool initialized = false;  // initialize was called; of no meaning over HTTP
};

// An answer that can be given at once.
struct McpReply {
  int status = 200;  // over HTTP
  Json body;         // null: nothing
};
// A tool that is to be used.
struct McpCall {
  Json id;
  bool stateless = false;
  std::string tool;
  Json arguments;
};

// One message. `headers`: of its HTTP request, else none. `version`: of kbench.
[[nodiscard]] std::variant<McpReply, McpCall> take_mcp(const std::string& text,
                                                       const HttpRequest* headers, McpPeer& peer,
                                                       const std::string& version);
// The answer with a tool's outcome.
[[nodiscard]] McpReply answer_mcp(const McpCall& call, const OrderOutcome& outcome,
                                  const std::string& version);

}  // namespace kbench
