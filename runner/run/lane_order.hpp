// The order, the units and the facts of a lane (lane/lane_message.hpp) that measures on a device of
// this machine, as JSON and back. Coordinator and lane are one program, so nothing of it is kept:
// names may change with every build. What was built lies on disk for both, as paths.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/unit_parts.hpp"

namespace kbench {

struct LaneOrder {
  // The choices that a row is measured by; which tasks and submissions, units say.
  RunRequest request;
  std::string size;            // "small" or "full"
  std::optional<GpuInfo> gpu;  // the only one that the lane is shown, number 0; none: the CPU
  std::vector<int> cores;      // the lane's; empty: all that it may use
  // The lock's request.
  std::string what;  // the run's name, for those who wait
  double seconds = 0;
  bool waits = true;
  // PythonPlayer::triton_architecture of the player of Python submissions, if there is one.
  std::optional<int> python;
  std::string first_agent;  // first agent with a Python submission: its torch starts at once
};

[[nodiscard]] Json lane_order_json(const LaneOrder& order);
// Errors: kBadInput.
[[nodiscard]] Result<LaneOrder> lane_order_from_json(const Json& json);

// The answer to the start.
struct LaneFacts {
  OracleHello hello;
  std::string sandbox;  // its layers, in words
};
[[nodiscard]] Json lane_facts_json(const LaneFacts& facts);
// Errors: kBadInput.
[[nodiscard]] Result<LaneFacts> lane_facts_from_json(const Json& json);

// A unit that came over a channel: its parts refer to what it has beside them.
struct ToldUnit {
  Task task;
  SubmissionBuild build;
  UnitParts parts;
};

// A unit as JSON, with its finished build.
[[nodiscard]] Json unit_json(const UnitParts& unit);
// A unit from JSON. Its task is read from its file, in the precision class. Errors: kBadInput;
// where that file has changed since the run began, by its name; those of load_task_in.
[[nodiscard]] Result<std::unique_ptr<ToldUnit>> unit_from_json(const Json& json,
                                                               const std::string& precision);

}  // namespace kbench
