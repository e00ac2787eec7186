#include "runner/run/device_lane.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/evaluation_json.hpp"
#include "runner/device/device_session.hpp"
#include "runner/run/lane_order.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/unit_measurer.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {
namespace {

// Binds this process, and all that it starts, to the cores; called before it has a second thread.
Status stay_on(const std::vector<int>& cores) {
  if (cores.empty()) return Done{};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return Done{};
  return Error{ErrorCode::kInfrastructure, "a lane may not run on the cores that it is to have",
               "the set of cores of this process changed: start the run again"};
}

class DeviceLane final : public LaneWork {
 public:
  DeviceLane(const Installation& installation, ProgressSink& progress)
      : around_(installation), progress_(progress) {}

  Status take(const Json& json) override {
    auto order = lane_order_from_json(json);
    if (!order) return order.error();
    order_ = std::move(*order);
    if (auto stays = stay_on(order_.cores); !stays) return stays;
    if (auto ready = prepare(); !ready) return ready;
    return measurer_->take({.installation = &installation_,
                            .target = &target_,
                            .what = order_.what,
                            .wait = order_.waits,
                            .turn_only = order_.request.checks_only,
                            .seconds = order_.seconds,
                            .progress = &progress_});
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
    session_.emplace(around_, SessionTurns::kOne);
    session_->prepare();
    auto complete = session_->with_libtorch();
    if (!complete) return complete.error();
    installation_ = std::move(*complete);
    if (auto made = create_cache(installation_); !made) return made.error();
    auto profile = find_profile(order_.request.profile);
    if (!profile) return profile.error();
    profile_ = *profile;
    target_ = {.device = order_.gpu ? "cuda" : "cpu",
               .device_index = 0,
               .gpu = order_.gpu,
               .cores = order_.gpu ? order_.cores : std::vector<int>(),
               .size = order_.size};
    auto player = find_player();
    if (!player) return player.error();
    measurer_.emplace(
        MeasurerOrder{installation_, order_.request, profile_, target_, *session_, progress_},
        std::move(*player));
    return Done{};
  }

  [[nodiscard]] Result<std::optional<PythonPlayer>> find_player() const {
    if (!order_.python) return std::optional<PythonPlayer>();
    auto parts = find_python_parts(installation_, target_.device == "cuda");
    if (!parts) return parts.error();
    parts->player.triton_architecture = *order_.python;
    return std::optional(std::move(parts->player));
  }

  const Installation& around_;
  ProgressSink& progress_;
  LaneOrder order_;
  std::optional<DeviceSession> session_;
  Installation installation_;  // with its LibTorch
  JudgingProfile profile_;
  Target target_;
  std::optional<UnitMeasurer> measurer_;
};

}  // namespace

std::unique_ptr<LaneWork> make_device_lane(const Installation& installation,
                                           ProgressSink& progress) {
  return std::make_unique<DeviceLane>(installation, progress);
}

Status serve_device_lane(const Installation& installation) {
  struct stat end {};
  if (::fstat(kLaneSocket, &end) != 0 || !S_ISSOCK(end.st_mode))
    return Error{ErrorCode::kUsage, "kbench lane is started by a run on several devices",
                 "kbench run --devices all"};
  (void)::fcntl(kLaneSocket, F_SETFD, FD_CLOEXEC);
  (void)serve_lane(
      Channel(UniqueFd(kLaneSocket), Channel::Descriptors::kRefused),
      [&](ProgressSink& progress) { return make_device_lane(installation, progress); });
  return Done{};
}

}  // namespace kbench
