// An environment as OpenEnv's clients speak to one, with the fields of its kernrl: an episode is a
// task and some turns; an action is code, an observation what became of it, the reward `kernrl`.
//
//   WS /ws: {type: "reset" | "step" | "state" | "close" | "mcp", data}
//     → {type: "observation", data: {observation, reward, done, metadata}}, {type: "state", data},
//       {type: "mcp", data}, {type: "error", data: {message, code}}
//   POST /reset, POST /step {action}, GET /state: as above, for one episode of each token
//   GET /schema, GET /metadata
//
// A client gives up after 60 seconds: after 55 it is told that the kernel is still being measured,
// which costs no turn; the same action again finds the row. Pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {

struct OpenEnvEpisode {
  std::string id;
  Json task;  // {task, size, device, device_name, prompt, reference}; null before a reset
  int turn = 0;
  int max_turns = 10;
  double best_speedup = 0;
  bool solved = false;
};

// `episode` is what the errand changes. Errors: kBadInput.
[[nodiscard]] Result<Errand> openenv_reset(const Json& data,
                                           std::shared_ptr<OpenEnvEpisode> episode);
[[nodiscard]] Result<Errand> openenv_step(const Json& action, const Client& client,
                                          std::shared_ptr<OpenEnvEpisode> episode);
[[nodiscard]] Json openenv_state(const OpenEnvEpisode& episode);
[[nodiscard]] Json openenv_schema();
[[nodiscard]] Json openenv_metadata(const GateHello& hello);

// "level1/023_*" of kernrl's "L1_23_Softmax"; what else there is stays as it is.
[[nodiscard]] std::string task_of_problem(const std::string& problem);

// An answer as a message of the socket.
[[nodiscard]] Json openenv_message(const HttpResponse& response);
// code: "INVALID_JSON", "UNKNOWN_TYPE", "VALIDATION_ERROR", "EXECUTION_ERROR".
[[nodiscard]] Json openenv_error(const std::string& message, const char* code);

}  // namespace kbench
