// Trials on several devices at once: a lane each (synth_lane.hpp), which pulls one trial after the
// other. Lanes hold their devices from start to end, and give turns between two trials.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/lane/lane_fleet.hpp"
#include "runner/lane/unit_pull.hpp"
#include "runner/synthesis/trial_devices.hpp"

namespace kbench {

class TrialLanes final : public TrialDevices, private UnitOwner {
 public:
  // `gpus`: of the lanes, in the order of their commands; of a CPU's lane, GpuInfo(). `progress`
  // outlives it.
  TrialLanes(std::vector<LaneCommand> commands, std::vector<GpuInfo> gpus, ProgressSink& progress);
  TrialLanes(const TrialLanes&) = delete;
  TrialLanes& operator=(const TrialLanes&) = delete;
  ~TrialLanes() override;

  // Takes all devices and starts what measures on them. `stop`: asked often while it waits. Errors:
  // those of LaneFleet.
  Status start(const std::function<bool()>& stop);

  [[nodiscard]] const OracleHello& hello() const override { return hello_; }
  // Without those of lanes that are out.
  [[nodiscard]] std::vector<GpuInfo> gpus() const override;
  // A trial whose lane died, or lost its device with it, is made once more. Errors: a trial that
  // had no answer twice; no lane is left.
  Result<TrialAnswers> try_all(const std::vector<TrialOrder>& orders,
                               const std::function<bool()>& stop) override;

 private:
  bool goes_on() override { return !(*stop_)(); }
  Result<std::optional<LaneRequest>> begin(std::size_t lane, std::size_t unit) override;
  Result<bool> end(std::size_t lane, std::size_t unit, const LaneResult& result,
                   bool may_repeat) override;
  Status give_up(std::size_t lane, std::size_t unit, const Error& why) override;
  void lose(std::size_t lane, const Error& why) override;
  [[nodiscard]] std::string name_of(std::size_t unit) const override;

  LaneFleet fleet_;
  std::vector<GpuInfo> gpus_;
  ProgressSink& progress_;
  OracleHello hello_;
  bool has_started_ = false;
  std::set<std::size_t> out_;  // lanes that left
  std::optional<Error> lost_;  // the first loss
  // Trials of the call of try_all() at hand.
  const std::vector<TrialOrder>* orders_ = nullptr;
  const std::function<bool()>* stop_ = nullptr;
  TrialAnswers answers_;
};

// Lanes on these devices (Plan::devices), or as many of them as there are cores for. `target` is
// the first of them, `installation` has its LibTorch. Errors: kUsage where there are too few cores
// for any; those of TrialLanes::start.
[[nodiscard]] Result<std::unique_ptr<TrialDevices>> start_trial_lanes(
    const std::vector<GpuInfo>& devices, const Installation& installation, const Target& target,
    ProgressSink& progress, const std::function<bool()>& stop);

}  // namespace kbench
