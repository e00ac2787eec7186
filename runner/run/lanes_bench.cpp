#include "runner/run/lanes_bench.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/device/machine_facts.hpp"
#include "runner/lane/lane_fleet.hpp"
#include "runner/plan/lane_cores.hpp"
#include "runner/run/device_lane.hpp"
#include "runner/run/lane_commands.hpp"
#include "runner/run/lane_order.hpp"
#include "runner/run/run_builds.hpp"

namespace kbench {
namespace {

class LanesBench final : public RunBench, private BenchLanes {
 public:
  LanesBench(const BenchOrder& order, Installation installation, std::optional<PythonParts> python,
             std::vector<LaneCores> lanes, DeviceSession& device, const Toolchain& toolchain)
      : order_(order),
        installation_(std::move(installation)),
        plan_(order.plan),
        python_(std::move(python)),
        lanes_(std::move(lanes)),
        sandbox_(device.sandbox()),
        builds_(order, installation_, python_, *sandbox_, toolchain) {
    if (!on_cuda()) return;
    std::vector<GpuInfo> gpus;
    for (const LaneCores& lane : lanes_) gpus.push_back(lane.gpu);
    builds_.build_on(std::move(gpus));
  }

  Status take_device(const std::string& what, double seconds) override {
    if (auto made = create_cache(installation_); !made) return made.error();
    if (!builds_.on_device()) builds_.begin();
    // The lanes share the run's time.
    fleet_.emplace(commands(what, seconds / static_cast<double>(lanes_.size())), order_.progress);
    auto taken = fleet_->take([this] { return gives_up(); });
    if (!taken) builds_.give_up();
    return taken;
  }

  // Lanes give their own (lane_message.hpp).
  void give_turn(double) override {}

  Result<OracleHello> start() override {
    const auto trial = std::async(std::launch::async, [this] { (void)sandbox_->level(on_cuda()); });
    if (builds_.on_device()) builds_.begin();
    auto facts = fleet_->start();
    if (!facts) {
      builds_.give_up();
      return facts.error();
    }
    trial.wait();
    if (auto alike = read_facts(*facts); !alike) return alike.error();
    builds_.await();
    return hello_;
  }

  [[nodiscard]] const Toolchain& toolchain() const override { return builds_.toolchain(); }

  Json describe_machine() override {
    Json facts =
        kbench::describe_machine(plan_.target.gpu, hello_, toolchain(), sandbox_->level(on_cuda()),
                                 calibration(), failed_clock_checks());
    if (!on_cuda()) return facts;
    facts["devices"] = Json::array();
    for (const LaneCores& lane : lanes_)
      facts["devices"].push_back(
          {{"uuid", lane.gpu.uuid}, {"index", lane.gpu.index}, {"cores", lane.cores}});
    return facts;
  }

  std::string sandbox_level() override { return sandbox_->level(on_cuda()).to_string(); }

  [[nodiscard]] const SubmissionBuild* build_of(std::size_t unit) const override {
    return builds_.of(unit);
  }
  SubmissionBuild& finished_build_of(std::size_t unit) override { return builds_.finished(unit); }

  // Lanes hold their devices and measure nothing yet.
  Status prepare(const std::set<std::size_t>& units, Store& store,
                 const std::function<bool()>& interrupted) override {
    return builds_.prepare(units, store, hello_, interrupted, interrupted);
  }
  [[nodiscard]] std::string why_unjudged(const Task& task) const override {
    return builds_.why_unjudged(task);
  }

  BenchLanes* lanes() override { return this; }

  // Never measures: the coordinator itself has no oracle.
  Evaluation measure(std::size_t) override {
    Evaluation row;
    row.state = State::kInfrastructureError;
    row.message = kElsewhere;
    return row;
  }
  Result<BenchProfile> profile(std::size_t, Side) override {
    return Error{ErrorCode::kUsage, kElsewhere, "a profile is made on one device: --device cuda:0"};
  }
  // Lanes look after their devices, and tell of those that are lost.
  Status recover(const Evaluation&) override { return Done{}; }
  Status check_alone() override { return Done{}; }

  void begin_end(bool) override { fleet_->begin_end(false); }
  void wait_for_end() override { fleet_->wait_for_end(); }

 private:
  LaneFleet& fleet() override { return *fleet_; }
  Json order_of(std::size_t unit) override { return unit_json(builds_.parts_of(unit)); }
  // The lane of a CPU has all of them.
  [[nodiscard]] std::vector<int> spare_cores() const override {
    return on_cuda() ? builders_cores(lanes_, usable_cores()) : std::vector<int>();
  }

  static constexpr const char* kElsewhere = "lanes measure, and not their coordinator";

  [[nodiscard]] bool on_cuda() const { return plan_.target.device == "cuda"; }
  [[nodiscard]] bool gives_up() const { return order_.terms.gives_up && order_.terms.gives_up(); }

  [[nodiscard]] std::vector<LaneCommand> commands(const std::string& what, double seconds) const {
    const auto first = std::find_if(plan_.units.begin(), plan_.units.end(), is_played_python);
    LaneOrder lane{.request = order_.request,
                   .size = plan_.target.size,
                   .what = what,
                   .seconds = seconds,
                   .waits = !order_.terms.no_wait};
    if (python_) lane.python = python_->player.triton_architecture;
    if (first != plan_.units.end()) lane.first_agent = first->id.agent;
    return lane_commands(lanes_, plan_.target.device, {installation_.program.string(), kLaneWord},
                         std::move(lane));
  }

  // The first lane's facts hold for all of them, but for a CPU's threads, of which each lane has a
  // part only. A run may be continued on one device or several, so the threads stored are those of
  // the whole run. A GPU has none.
  Status read_facts(const std::vector<Json>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto facts = lane_facts_from_json(all[i]);
      if (!facts) return facts.error();
      if (facts->sandbox != sandbox_level())
        return Error{ErrorCode::kInfrastructure,
                     fmt::format("submissions on {} are confined by {}, and here by {}",
                                 fleet_->name_of(i), facts->sandbox, sandbox_level()),
                     "`kbench doctor` says which layers this machine has"};
      if (i == 0) hello_ = std::move(facts->hello);
    }
    if (hello_.facts.threads > 0) hello_.facts.threads = usable_threads();
    return Done{};
  }

  // The calibration of the first device; each lane has its own (UnitMeasurer), which its rows
  // carry.
  [[nodiscard]] std::optional<Calibration> calibration() const {
    auto found = find_calibration(installation_.state, describe_device(plan_.target, hello_.facts));
    return found ? *found : std::nullopt;
  }

  // The sum over all devices.
  [[nodiscard]] int failed_clock_checks() const {
    const auto failed_on = [&](const Target& target) {
      return kbench::failed_clock_checks(installation_.state,
                                         describe_device(target, hello_.facts));
    };
    if (!on_cuda()) return failed_on(plan_.target);
    int failed = 0;
    Target target = plan_.target;
    for (const LaneCores& lane : lanes_) {
      target.gpu = lane.gpu;
      failed += failed_on(target);
    }
    return failed;
  }

  const BenchOrder order_;
  const Installation installation_;  // the installation with its LibTorch
  const Plan& plan_;
  const std::optional<PythonParts> python_;
  const std::vector<LaneCores> lanes_;
  const std::shared_ptr<Sandbox> sandbox_;
  OracleHello hello_;
  RunBuilds builds_;
  std::optional<LaneFleet> fleet_;  // ends first
};

}  // namespace

Result<std::unique_ptr<RunBench>> make_lanes_bench(const BenchOrder& order,
                                                   Installation installation,
                                                   std::optional<PythonParts> python,
                                                   DeviceSession& device,
                                                   const Toolchain& toolchain) {
  auto lanes = share_lanes(order.plan.devices, order.plan.target.device,
                           order.terms.on_each_device ? LaneShares::kAll : LaneShares::kAsManyAsFit,
                           order.progress);
  if (!lanes) return lanes.error();
  // Packages are built where a lane holds the device.
  order.plan.target.gpu = lanes->front().gpu;
  order.plan.target.device_index = lanes->front().gpu.index;
  return std::unique_ptr<RunBench>(std::make_unique<LanesBench>(
      order, std::move(installation), std::move(python), std::move(*lanes), device, toolchain));
}

}  // namespace kbench
