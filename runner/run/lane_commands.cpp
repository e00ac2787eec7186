#include "runner/run/lane_commands.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"

namespace kbench {

Result<std::vector<LaneCores>> share_lanes(const std::vector<GpuInfo>& devices,
                                           const std::string& device, LaneShares shares,
                                           ProgressSink& progress) {
  if (device != "cuda") return std::vector<LaneCores>{{devices.front(), {}}};
  std::vector<LaneCores> lanes = lane_cores(devices, usable_cores());
  if (lanes.size() == devices.size()) return lanes;
  if (shares == LaneShares::kAll)
    return Error{ErrorCode::kUsage,
                 fmt::format("{} devices, and cores for {} of them: a lane has {} of its own at "
                             "least, and {} are there",
                             devices.size(), lanes.size(), kFewestLaneCores, usable_threads()),
                 "give this process more cores, or name fewer devices at a time"};
  if (lanes.empty())
    return Error{ErrorCode::kUsage,
                 fmt::format("no lane has {} cores of its own here", kFewestLaneCores),
                 "measure on one device: leave --devices out"};
  progress.note(fmt::format(
      "{} of {} devices measure: a lane has {} cores of its own at least, and {} are there",
      lanes.size(), devices.size(), kFewestLaneCores, usable_threads()));
  return lanes;
}

std::vector<LaneCommand> lane_commands(const std::vector<LaneCores>& lanes,
                                       const std::string& device,
                                       const std::vector<std::string>& words, LaneOrder order) {
  std::vector<LaneCommand> commands;
  for (const LaneCores& share : lanes) {
    LaneCommand command{.name = device, .argv = words, .environment = {}, .order = {}};
    if (device == "cuda") {
      order.gpu = share.gpu;
      order.cores = share.cores;
      command.name = fmt::format("cuda:{}", share.gpu.index);
      command.environment = {{"CUDA_VISIBLE_DEVICES", share.gpu.uuid}};
    }
    command.order = lane_order_json(order);
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace kbench
