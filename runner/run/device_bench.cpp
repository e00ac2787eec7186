#include "runner/run/device_bench.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "runner/device/machine_facts.hpp"
#include "runner/run/lanes_bench.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/run_builds.hpp"
#include "runner/run/unit_measurer.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {
namespace {

std::optional<PythonPlayer> player_of(const std::optional<PythonParts>& python) {
  return python ? std::optional(python->player) : std::nullopt;
}

// One device, measured on in this process. No worker starts before everything is built, so that no
// compiler disturbs a clock.
class DeviceBench final : public RunBench {
 public:
  // `python`: what plays Python submissions; none where there are none to be played.
  DeviceBench(const BenchOrder& order, Installation installation, std::optional<PythonParts> python,
              const JudgingProfile& profile, DeviceSession& device, const Toolchain& toolchain)
      : order_(order),
        installation_(std::move(installation)),
        plan_(order.plan),
        python_(std::move(python)),
        profile_(profile),
        sandbox_(device.sandbox()),
        measurer_({installation_, order.request, profile_, plan_.target, device, order.progress},
                  player_of(python_)),
        builds_(order, installation_, python_, *sandbox_, toolchain) {}

  Status take_device(const std::string& what, double seconds) override {
    if (auto made = create_cache(installation_); !made) return made.error();
    if (!builds_.on_device()) builds_.begin();
    LockRequest request = lock_request_of(order_, installation_, what, seconds);
    request.is_needless = [this] { return gives_up() || builds_.in_vain(); };
    if (auto taken = measurer_.take(std::move(request)); !taken) {
      builds_.give_up();
      return taken;
    }
    if (!gives_up()) return Done{};
    builds_.give_up();  // without a lock nothing is measured
    return Error{ErrorCode::kInfrastructure, "interrupted while it waited for the device", ""};
  }

  void give_turn(double next_seconds) override { measurer_.give_turn(next_seconds); }

  Result<OracleHello> start() override {
    // Submissions compile meanwhile.
    if (auto begun = measurer_.begin_start(); !begun) return begun.error();
    if (builds_.on_device()) builds_.begin();
    const auto first = std::find_if(plan_.units.begin(), plan_.units.end(), is_played_python);
    if (first != plan_.units.end()) measurer_.start_torch(first->id.agent);
    if (auto ready = measurer_.finish_start(); !ready) {
      builds_.give_up();
      return ready.error();
    }
    if (!builds_.may_begin_early(measurer_.hello())) {
      builds_.await();
      measurer_.await_torch();
    }
    return measurer_.hello();
  }

  [[nodiscard]] const Toolchain& toolchain() const override { return builds_.toolchain(); }

  Json describe_machine() override {
    return kbench::describe_machine(plan_.target.gpu, measurer_.hello(), toolchain(),
                                    measurer_.sandbox_level(), measurer_.calibration(),
                                    measurer_.failed_clock_checks());
  }

  std::string sandbox_level() override { return measurer_.sandbox_level().to_string(); }

  [[nodiscard]] const SubmissionBuild* build_of(std::size_t unit) const override {
    return builds_.of(unit);
  }
  SubmissionBuild& finished_build_of(std::size_t unit) override { return builds_.finished(unit); }

  Status prepare(const std::set<std::size_t>& units, Store& store,
                 const std::function<bool()>& interrupted) override {
    // Nothing is timed yet. On a GPU, builders time kernels to choose among them.
    const auto between_builds = [&] {
      if (plan_.target.device != "cuda") give_turn(0);
      return interrupted();
    };
    return builds_.prepare(units, store, measurer_.hello(), interrupted, between_builds);
  }

  [[nodiscard]] std::string why_unjudged(const Task& task) const override {
    return builds_.why_unjudged(task);
  }

  Evaluation measure(std::size_t index) override {
    return measurer_.measure(builds_.parts_of(index));
  }

  Result<BenchProfile> profile(std::size_t index, Side side) override {
    if (side == Side::kCompiled)
      if (auto built = builds_.build_package(plan_.units[index].task, measurer_.hello()); !built)
        return built.error();
    if (side == Side::kSubmission)
      if (const auto& error = builds_.finished(index).error) return *error;
    return measurer_.profile(builds_.parts_of(index), side, toolchain());
  }

  Status recover(const Evaluation& evaluation) override { return measurer_.recover(evaluation); }
  Status check_alone() override { return measurer_.check_alone(); }
  void begin_end(bool lost) override { measurer_.begin_end(lost); }
  void wait_for_end() override { measurer_.wait_for_end(); }

 private:
  [[nodiscard]] bool gives_up() const { return order_.terms.gives_up && order_.terms.gives_up(); }

  const BenchOrder order_;
  const Installation installation_;  // the installation with its LibTorch
  const Plan& plan_;
  const std::optional<PythonParts> python_;
  const JudgingProfile profile_;
  const std::shared_ptr<Sandbox> sandbox_;
  UnitMeasurer measurer_;
  RunBuilds builds_;  // ends first: what compiles may be at work still
};

}  // namespace

LockRequest lock_request_of(const BenchOrder& order, const Installation& installation,
                            const std::string& what, double seconds) {
  return {.installation = &installation,
          .target = &order.plan.target,
          .what = what,
          .wait = !order.terms.no_wait,
          .turn_only = order.request.checks_only,
          .seconds = seconds,
          .progress = &order.progress,
          .waits = order.terms.waits,
          .is_needless = order.terms.gives_up};
}

Result<std::unique_ptr<RunBench>> DeviceBenches::make(const BenchOrder& order) {
  const auto profile = find_profile(order.request.profile);
  if (!profile) return profile.error();
  auto complete = device_.with_libtorch();
  if (!complete) return complete.error();
  const Toolchain toolchain = toolchain_for(order.plan.target, device_.toolchain());
  auto python = find_python_parts(order.plan, *complete, toolchain);
  if (!order.plan.devices.empty())
    return make_lanes_bench(order, std::move(*complete), std::move(python), device_, toolchain);
  return std::unique_ptr<RunBench>(std::make_unique<DeviceBench>(
      order, std::move(*complete), std::move(python), *profile, device_, toolchain));
}

}  // namespace kbench
