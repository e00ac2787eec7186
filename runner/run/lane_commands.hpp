// The lanes of a host: how its cores are shared among them, and the commands that start them.
#pragma once

#include <string>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/lane/lane_fleet.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/plan/lane_cores.hpp"
#include "runner/run/lane_order.hpp"

namespace kbench {

// Devices that may stay without a lane where there are too few cores.
enum class LaneShares {
  kAsManyAsFit,  // the last devices
  kAll           // no device
};

// The cores of a lane on each of `devices` (Plan::devices), of "cpu" or "cuda". The lane of a CPU
// may use all. Devices without a lane are told of. Errors: kUsage where there are too few cores.
[[nodiscard]] Result<std::vector<LaneCores>> share_lanes(const std::vector<GpuInfo>& devices,
                                                         const std::string& device,
                                                         LaneShares shares, ProgressSink& progress);

// A command a lane: the words of the program, and `order` with the lane's GPU and cores.
[[nodiscard]] std::vector<LaneCommand> lane_commands(const std::vector<LaneCores>& lanes,
                                                     const std::string& device,
                                                     const std::vector<std::string>& words,
                                                     LaneOrder order);

}  // namespace kbench
