// A lane from within: the process that measures on one device for a coordinator. It knows no plan,
// no store and no command line: what it is to measure comes over its channel, and a result goes
// back.
#pragma once

#include <functional>
#include <memory>

#include "runner/core/channel.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/lane/lane_message.hpp"

namespace kbench {

// The descriptor on which a lane finds its channel.
inline constexpr int kLaneSocket = 3;

// All that a lane does to its device. Virtual because it is where the outside world begins.
class LaneWork {
 public:
  virtual ~LaneWork() = default;

  // Waits until no other command measures on the device, and keeps it. Errors end the lane, here
  // and in start().
  virtual Status take(const Json& order) = 0;
  // Starts what measures; the facts are the coordinator's.
  virtual Result<Json> start() = 0;
  virtual LaneResult measure(const LaneRequest& request) = 0;
  // Ends measuring.
  virtual void end(bool lost) = 0;
};

// Makes the work of a lane, which tells how it goes.
using MakeLaneWork = std::function<std::unique_ptr<LaneWork>(ProgressSink&)>;

// Answers until the coordinator has it end, or is gone. Errors: of the channel; those of take() and
// start(), which the coordinator was told.
[[nodiscard]] Status serve_lane(Channel channel, const MakeLaneWork& make);

}  // namespace kbench
