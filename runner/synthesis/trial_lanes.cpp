#include "runner/synthesis/trial_lanes.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "runner/run/lane_commands.hpp"
#include "runner/run/lane_order.hpp"
#include "runner/synthesis/synth_lane.hpp"
#include "runner/synthesis/synth_trial.hpp"

namespace kbench {

TrialLanes::TrialLanes(std::vector<LaneCommand> commands, std::vector<GpuInfo> gpus,
                       ProgressSink& progress)
    : fleet_(std::move(commands), progress), gpus_(std::move(gpus)), progress_(progress) {}

TrialLanes::~TrialLanes() {
  if (!has_started_) return;  // those that were are killed
  fleet_.begin_end(false);
  fleet_.wait_for_end();
}

Status TrialLanes::start(const std::function<bool()>& stop) {
  if (auto taken = fleet_.take(stop); !taken) return taken;
  const auto facts = fleet_.start();
  if (!facts) return facts.error();
  auto first = lane_facts_from_json(facts->front());
  if (!first) return first.error();
  hello_ = std::move(first->hello);
  has_started_ = true;
  return Done{};
}

std::vector<GpuInfo> TrialLanes::gpus() const {
  std::vector<GpuInfo> left;
  for (std::size_t lane = 0; lane < gpus_.size(); ++lane)
    if (!gpus_[lane].uuid.empty() && !out_.contains(lane)) left.push_back(gpus_[lane]);
  return left;
}

Result<TrialAnswers> TrialLanes::try_all(const std::vector<TrialOrder>& orders,
                                         const std::function<bool()>& stop) {
  answers_ = TrialAnswers(orders.size());
  if (orders.empty()) return answers_;
  orders_ = &orders;
  stop_ = &stop;
  std::vector<std::size_t> units(orders.size());
  std::iota(units.begin(), units.end(), std::size_t{0});
  progress_.begin(std::string(describe(orders.front().kind)),
                  std::vector<double>(orders.size(), 0));
  const auto left = pull_units(fleet_, units, UnitShare::kAnyLane, *this, progress_);
  if (!left) return left.error();
  progress_.end();
  if (*left > 0 && !fleet_.any_left() && lost_)
    return Error{lost_->code, fmt::format("no device is left: {}", lost_->message), lost_->hint};
  return std::move(answers_);
}

Result<std::optional<LaneRequest>> TrialLanes::begin(std::size_t, std::size_t unit) {
  LaneRequest request;
  request.ask = LaneAsk::kMeasure;
  request.body = trial_order_json((*orders_)[unit]);
  return std::optional(std::move(request));
}

Result<bool> TrialLanes::end(std::size_t, std::size_t unit, const LaneResult& result,
                             bool may_repeat) {
  auto answer = trial_answer_from_json(result.body);
  // A finding of a device that is lost with it may be the device's.
  const bool says_nothing = !answer || (result.lost && answer->spoils_oracle());
  if (says_nothing && may_repeat) return false;
  if (!answer) return answer.error();
  answers_[unit] = std::move(*answer);
  return true;
}

Status TrialLanes::give_up(std::size_t, std::size_t unit, const Error& why) {
  return Error{why.code, fmt::format("{}: {}; it was tried twice", name_of(unit), why.message),
               why.hint};
}

void TrialLanes::lose(std::size_t lane, const Error& why) {
  progress_.warn(fmt::format("{} leaves the synthesis: {}", fleet_.name_of(lane), why.message));
  out_.insert(lane);
  if (!lost_) lost_ = why;
}

std::string TrialLanes::name_of(std::size_t unit) const { return (*orders_)[unit].task; }

Result<std::unique_ptr<TrialDevices>> start_trial_lanes(const std::vector<GpuInfo>& devices,
                                                        const Installation& installation,
                                                        const Target& target,
                                                        ProgressSink& progress,
                                                        const std::function<bool()>& stop) {
  auto shares = share_lanes(devices, target.device, LaneShares::kAsManyAsFit, progress);
  if (!shares) return shares.error();
  LaneOrder order;
  order.request.precision = kSynthPrecision;
  order.size = target.size;
  order.what = "synth";
  std::vector<GpuInfo> gpus;
  for (const LaneCores& share : *shares) gpus.push_back(share.gpu);
  auto lanes = std::make_unique<TrialLanes>(
      lane_commands(*shares, target.device, {installation.program.string(), kSynthLaneWord},
                    std::move(order)),
      std::move(gpus), progress);
  if (auto started = lanes->start(stop); !started) return started.error();
  return std::unique_ptr<TrialDevices>(std::move(lanes));
}

}  // namespace kbench
