// The work of a lane of a synthesis: trials of candidates (trial_order.hpp) on one device. Between
// two trials other commands that wait for the device have a turn.
#pragma once

#include <memory>

#include "runner/core/progress_sink.hpp"
#include "runner/installation/installation.hpp"
#include "runner/lane/lane_server.hpp"

namespace kbench {

// The hidden verb by which a synthesis starts this program as a lane.
inline constexpr const char* kSynthLaneWord = "synth-lane";

// `progress` and `installation` outlive it.
[[nodiscard]] std::unique_ptr<LaneWork> make_synth_lane(const Installation& installation,
                                                        ProgressSink& progress);

}  // namespace kbench
