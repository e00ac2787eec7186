// Where the trials of a synthesis are made: the device of this process, or several devices at once
// behind lanes (trial_lanes.hpp). Virtual because the outside world begins here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/synthesis/trial_order.hpp"

namespace kbench {

// The answers to orders, in the order of these whichever came first; none where a trial was not
// made because it was stopped.
using TrialAnswers = std::vector<std::optional<TrialAnswer>>;

class TrialDevices {
 public:
  virtual ~TrialDevices() = default;

  // The facts of the device, or of devices that are alike.
  [[nodiscard]] virtual const OracleHello& hello() const = 0;
  // GPUs on which packages are built; empty: on the target's alone.
  [[nodiscard]] virtual std::vector<GpuInfo> gpus() const { return {}; }
  // Makes the trials, which are of one kind. `stop`: asked before each. Errors: what no candidate
  // is to blame for.
  virtual Result<TrialAnswers> try_all(const std::vector<TrialOrder>& orders,
                                       const std::function<bool()>& stop) = 0;
};

// The device of this process, which waits for other measurements there before each try_all(), and
// gives the device back after it. `installation` has its LibTorch. All of these outlive it. Errors:
// no device answers.
[[nodiscard]] Result<std::unique_ptr<TrialDevices>> start_trial_device(
    Sandbox& sandbox, const Installation& installation, const Target& target,
    ProgressSink& progress);

}  // namespace kbench
