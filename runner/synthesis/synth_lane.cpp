#include "runner/synthesis/synth_lane.hpp"

#include <optional>
#include <string>
#include <utility>

#include "runner/device/device_session.hpp"
#include "runner/run/lane_order.hpp"
#include "runner/run/lane_place.hpp"
#include "runner/synthesis/synth_trial.hpp"

namespace kbench {
namespace {

class SynthLane final : public LaneWork {
 public:
  SynthLane(const Installation& installation, ProgressSink& progress)
      : place_(installation), progress_(progress) {}

  Status take(const Json& json) override {
    auto order = lane_order_from_json(json);
    if (!order) return order.error();
    if (auto settled = place_.settle(*order); !settled) return settled;
    precision_ = order->request.precision;
    request_ = place_.lock_request(*order, progress_);
    auto turn = DeviceTurn::take(place_.session(), request_);
    if (!turn) return turn.error();
    turn_.emplace(std::move(*turn));
    return Done{};
  }

  Result<Json> start() override {
    const auto started = turn_->start_oracle(place_.installation(), place_.target(), precision_);
    if (!started) return started.error();
    auto hello = turn_->hello();
    if (!hello) return hello.error();
    const bool needs_cuda = place_.target().device == "cuda";
    return lane_facts_json(
        {std::move(*hello), place_.session().sandbox()->level(needs_cuda).to_string()});
  }

  LaneResult measure(const LaneRequest& request) override {
    const auto order = trial_order_from_json(request.body);
    if (!order) return {.failure = order.error()};
    if (request.gives_turn) turn_->give_turn(request_, request.seconds);
    const auto answer = make_trial(turn_->oracle(), place_.target().device, *order);
    if (!answer) return {.failure = answer.error()};
    LaneResult result{.body = trial_answer_json(*answer)};
    if (answer->spoils_oracle())
      if (auto renewed = renew_oracle(turn_->oracle()); !renewed) result.lost = renewed.error();
    return result;
  }

  void end(bool) override { turn_.reset(); }

 private:
  LanePlace place_;
  ProgressSink& progress_;
  std::string precision_;
  LockRequest request_;
  std::optional<DeviceTurn> turn_;  // ends first
};

}  // namespace

std::unique_ptr<LaneWork> make_synth_lane(const Installation& installation,
                                          ProgressSink& progress) {
  return std::make_unique<SynthLane>(installation, progress);
}

}  // namespace kbench
