// The work of a lane on a device of this machine: units are measured by the code that a run on one
// device has (unit_measurer.hpp). This process is one of many of its coordinator, who chose its
// device, its cores and its environment.
#pragma once

#include <memory>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/lane/lane_server.hpp"

namespace kbench {

// The hidden verb by which a run starts this program as a lane.
inline constexpr const char* kLaneWord = "lane";

// The work of a lane. `progress` outlives it.
[[nodiscard]] std::unique_ptr<LaneWork> make_device_lane(const Installation& installation,
                                                         ProgressSink& progress);

// Makes the work of a lane of this installation, which outlives it.
using MakeInstalledLane = std::unique_ptr<LaneWork> (*)(const Installation&, ProgressSink&);

// Serves as a lane with that work: answers on kLaneSocket until its coordinator has it end, or is
// gone. The coordinator is told of faults meanwhile. Errors: kUsage where no coordinator started
// this process.
[[nodiscard]] Status serve_device_lane(const Installation& installation,
                                       MakeInstalledLane make = make_device_lane);

}  // namespace kbench
