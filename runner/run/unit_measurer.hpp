// Measures units on one device, one after the other: its lock, oracle, sandbox, workers and fork
// servers of Python. The same code measures for a run on one device (device_bench.hpp) and behind a
// lane (device_lane.hpp). It builds nothing, and knows no plan and no store: what a unit is
// measured with comes with it.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/device_limits.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/device_session.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/machine/nvml.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/measure/players/python_program.hpp"
#include "runner/measure/players/worker_program.hpp"
#include "runner/measure/players/zygote_pool.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/bench_profile.hpp"
#include "runner/run/row_order.hpp"
#include "runner/run/unit_parts.hpp"
#include "runner/run/vendor_baseline.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {

// All of these outlive the measurer.
struct MeasurerOrder {
  const Installation& installation;  // the installation with its LibTorch
  const RunRequest& request;
  const JudgingProfile& profile;
  const Target& target;
  DeviceSession& device;
  ProgressSink& progress;
};

class UnitMeasurer {
 public:
  // `player`: what plays Python submissions; none where there are none to be played.
  UnitMeasurer(const MeasurerOrder& order, std::optional<PythonPlayer> player);

  // Waits until no other command measures on the device, and keeps it. The request's target and
  // installation are the order's. Errors: those of DeviceTurn::take.
  Status take(LockRequest request);
  void give_turn(double next_seconds) { turn_->give_turn(lock_request_, next_seconds); }

  // Starts the oracle, and tries the sandbox meanwhile. Errors: kInfrastructure.
  Status begin_start();
  // Starts torch for the Python submissions of `agent` in a thread of its own: a measurement waits
  // for it.
  void start_torch(std::string agent);
  // Waits for the oracle, and finds the calibration of the device. Errors: kInfrastructure.
  Status finish_start();
  // Waits for that torch.
  void await_torch();

  // The oracle's facts, after finish_start().
  [[nodiscard]] const OracleHello& hello() const { return hello_; }
  [[nodiscard]] const std::optional<Calibration>& calibration() const { return calibration_; }
  // Checks of the clock that failed when the device was calibrated.
  [[nodiscard]] int failed_clock_checks() const { return failed_clock_checks_; }
  [[nodiscard]] SandboxLevel sandbox_level() { return sandbox_.level(on_cuda()); }

  // The measured row; the session adds run, key and provenance.
  Evaluation measure(const UnitParts& unit);
  // See RunBench::profile. The package and the build are there.
  Result<BenchProfile> profile(const UnitParts& unit, Side side, const Toolchain& toolchain);

  // See RunBench.
  Status recover(const Evaluation& evaluation);
  Status check_alone();
  void begin_end(bool lost);
  void wait_for_end() { ending_workers_.wait(); }

 private:
  [[nodiscard]] bool on_cuda() const { return order_.target.device == "cuda"; }
  [[nodiscard]] std::string device_name() const;
  void tell_starts();

  const SubmissionBuild& finished(const UnitParts& unit);
  [[nodiscard]] RowOrder row_order(const UnitParts& unit) const;
  [[nodiscard]] EvaluationRequest request_of(const UnitParts& unit);
  [[nodiscard]] EvaluationSettings settings_of(const UnitParts& unit);
  [[nodiscard]] EvaluationRequest::Vendor vendor_of(const UnitParts& unit, const TaskSize& size);

  Evaluation play(const UnitParts& unit, EvaluationRequest request,
                  const EvaluationSettings& settings, bool is_seeded);
  [[nodiscard]] bool wants_whole_device(const Evaluation& evaluation) const;
  Status take_whole_device();
  bool is_right_by_its_own(const UnitParts& unit, EvaluationRequest request,
                           EvaluationSettings settings);
  Result<int> initial_parameters(const UnitParts& unit);
  [[nodiscard]] static PythonModel seeded(const SubmissionBuild& build);
  Result<std::unique_ptr<Worker>> start_submission(const UnitParts& unit, const WorkerStart& start,
                                                   bool is_seeded,
                                                   std::unique_ptr<WorkerProgram>& program);
  Result<std::unique_ptr<Worker>> start_eager(const UnitParts& unit, WorkerStart start,
                                              bool is_seeded,
                                              std::unique_ptr<WorkerProgram>& program);
  void add_static_facts(const SubmissionBuild& build, const Toolchain& toolchain,
                        BenchProfile& taken);

  const MeasurerOrder order_;
  const std::optional<PythonPlayer> player_;
  std::optional<std::pair<std::string, UniqueFd>>
      initial_parameters_;  // a task's hash, and its parameters
  const std::shared_ptr<Sandbox> shared_sandbox_;
  Sandbox& sandbox_;
  ZygotePool zygotes_;
  LockRequest lock_request_;
  std::optional<DeviceTurn> turn_;  // outlives all that is measured
  OracleHello hello_;
  std::optional<Calibration> calibration_;
  int failed_clock_checks_ = 0;
  std::optional<DeviceLimits> limits_;
  std::optional<VendorBaseline> vendor_;  // set once a row asks for it
  std::optional<Nvml> nvml_;              // GPU: tells what limits its clock
  std::unique_ptr<Worker> last_worker_;   // the previous evaluation's worker, stopped
  bool has_whole_device_ = false;         // a check-only run holds the device alone
  std::future<void> trial_, starting_torch_;
  std::future<void> ending_workers_, ending_oracle_;
};

}  // namespace kbench
