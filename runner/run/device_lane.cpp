#include "runner/run/device_lane.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <optional>
#include <utility>

#include "runner/core/evaluation_json.hpp"
#include "runner/run/lane_order.hpp"
#include "runner/run/lane_place.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/unit_measurer.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {
namespace {

class DeviceLane final : public LaneWork {
 public:
  DeviceLane(const Installation& installation, ProgressSink& progress)
      : place_(installation), progress_(progress) {}

  Status take(const Json& json) override {
    auto order = lane_order_from_json(json);
    if (!order) return order.error();
    order_ = std::move(*order);
    if (auto settled = place_.settle(order_); !settled) return settled;
    if (auto ready = prepare(); !ready) return ready;
    return measurer_->take(place_.lock_request(order_, progress_));
  }

  Result<Json> start() override {
    if (auto begun = measurer_->begin_start(); !begun) return begun.error();
    if (!order_.first_agent.empty()) measurer_->start_torch(order_.first_agent);
    if (auto ready = measurer_->finish_start(); !ready) return ready.error();
    measurer_->await_torch();
    return lane_facts_json({measurer_->hello(), measurer_->sandbox_level().to_string()});
  }

  LaneResult measure(const LaneRequest& request) override {
    auto unit = unit_from_json(request.body, order_.request.precision);
    if (!unit) return {.failure = unit.error()};
    if (auto alone = measurer_->check_alone(); !alone)
      return {.failure = alone.error(), .lost = alone.error()};
    if (request.gives_turn) measurer_->give_turn(request.seconds);
    const Evaluation row = measurer_->measure((*unit)->parts);
    LaneResult result{.body = evaluation_json(row)};
    if (auto healthy = measurer_->recover(row); !healthy) result.lost = healthy.error();
    return result;
  }

  void end(bool lost) override {
    measurer_->begin_end(lost);
    measurer_->wait_for_end();
  }

 private:
  // All that the measurer refers to.
  Status prepare() {
    auto profile = find_profile(order_.request.profile);
    if (!profile) return profile.error();
    profile_ = *profile;
    auto player = find_player();
    if (!player) return player.error();
    measurer_.emplace(MeasurerOrder{place_.installation(), order_.request, profile_,
                                    place_.target(), place_.session(), progress_},
                      std::move(*player));
    return Done{};
  }

  [[nodiscard]] Result<std::optional<PythonPlayer>> find_player() const {
    if (!order_.python) return std::optional<PythonPlayer>();
    auto parts = find_python_parts(place_.installation(), place_.target().device == "cuda");
    if (!parts) return parts.error();
    parts->player.triton_architecture = *order_.python;
    return std::optional(std::move(parts->player));
  }

  LanePlace place_;
  ProgressSink& progress_;
  LaneOrder order_;
  JudgingProfile profile_;
  std::optional<UnitMeasurer> measurer_;
};

}  // namespace

std::unique_ptr<LaneWork> make_device_lane(const Installation& installation,
                                           ProgressSink& progress) {
  return std::make_unique<DeviceLane>(installation, progress);
}

Status serve_device_lane(const Installation& installation, MakeInstalledLane make) {
  struct stat end {};
  if (::fstat(kLaneSocket, &end) != 0 || !S_ISSOCK(end.st_mode))
    return Error{ErrorCode::kUsage, "a lane is started by a command on several devices",
                 "kbench run --devices all"};
  (void)::fcntl(kLaneSocket, F_SETFD, FD_CLOEXEC);
  (void)serve_lane(Channel(UniqueFd(kLaneSocket), Channel::Descriptors::kRefused),
                   [&](ProgressSink& progress) { return make(installation, progress); });
  return Done{};
}

}  // namespace kbench
