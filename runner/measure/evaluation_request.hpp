// The request of an evaluation: a task at a size on a device, and a submission for it or none; and
// the settings of the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/analysis/stop_rule.hpp"
#include "runner/core/device_limits.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/measure/players/torch_use.hpp"
#include "runner/measure/players/worker.hpp"
#include "runner/measure/watch/surroundings.hpp"
#include "runner/task/task.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

struct EvaluationRequest {
  const Task* task = nullptr;
  const TaskSize* size = nullptr;
  std::string device;  // "cpu" or "cuda"
  int device_index = 0;
  int threads = 1;
  std::vector<int> cores;         // cores that may launch kernels; empty: the scheduler's choice
  std::uint64_t cache_bytes = 0;  // last-level cache of the device; 0: not known
  std::string precision;
  std::string device_name;        // name that its driver gives
  std::filesystem::path package;  // empty: no compiled baseline, for this reason:
  std::string package_reason;
  std::string package_key;
  std::optional<SubmissionId> submission;
  // A descriptor of what the task's Model draws as parameters, where a Python submission draws its
  // own in that way (initial_parameters.hpp); -1, or no function: both get what the oracle draws.
  std::function<Result<int>()> initial_parameters;
  // CPU, Python submissions: a worker plays eager too, in the baselines' seat. Then the interpreter
  // costs both sides the same.
  bool eager_is_a_worker = false;
  // CUDA, Python submissions: the memory that the process may want in a call.
  std::uint64_t heap_bytes = 0;
  // Whether torch.compile made kernels of a Python submission. They count as torch's work.
  bool torch_compiled = false;
  // Returns the compiled submission, once a worker is about to start: the submission may still be
  // compiling while the oracle makes ready. An error ends the evaluation.
  std::function<Result<std::filesystem::path>()> library;
  std::string seed;  // random_seed()'s; tests give a fixed one
  // CUDA, runs with --vendor: one call of a vendor's library is a side of its own. `reason` says
  // why the task has none; else `start` starts a worker that has the library.
  struct Vendor {
    std::string reason;
    WorkerFactory start;
  };
  std::optional<Vendor> vendor = std::nullopt;
};

enum class Times {
  kJudged,  // a row's
  // Rough times, for this process alone. No row has them, so steering them gains nothing, and steps
  // that only judge times are left out: baselines alone, peaks, floor, clocks.
  kRough,
  kNone,  // checks alone, for a kernel that is still being written
};

struct EvaluationSettings {
  std::string profile = "kbench";  // the name, for the record
  AcceptanceRule acceptance;
  bool original_draws = false;  // KernelBench's distributions, and no hard draws
  Times times = Times::kJudged;
  int correctness_draws = 5;
  int null_calls = 11;
  int null_calls_again = 5;  // null calls of each further worker
  StopRule stop;
  // Time that the submission may keep the run waiting, over all measurements; beyond it,
  // kOverBudget.
  std::chrono::seconds budget{180};
  // Limit of one call; empty: by eager's time, see CallProtocol::call_timeout.
  std::optional<std::chrono::milliseconds> call_limit;
  // A row that other programs disturbed is measured once more: for callers that need a number.
  bool repeat_busy = false;
  AllowTorch allow_torch = AllowTorch::kData;  // torch that Python submissions may use
  std::optional<Calibration> calibration;      // calibration of the device, for the record
  std::optional<DeviceLimits> limits;          // limits that `kbench calibrate` measured
  Surroundings surroundings;
  // Takes the stopped worker of an evaluation, to end it later: ending takes 0.06 s on CUDA.
  // Called with null before the evaluation is repeated: the worker that it holds has to end first.
  // Empty: the worker ends with the evaluation.
  std::function<void(std::unique_ptr<Worker>)> bury;

  [[nodiscard]] bool judges_times() const { return times == Times::kJudged; }
  [[nodiscard]] bool is_timed() const { return times != Times::kNone; }
};

}  // namespace kbench
