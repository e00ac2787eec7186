// One task on one device, in the trusted process: private inputs and parameters, the fp64
// reference, the eager and compiled baselines, and the arenas that a worker maps.
//
// Invariants. Baselines and references read private memory only; a shared arena is written by arm()
// and reveal(), and read by snapshot() and audit(); judge() sees the snapshot. inputs() forgets
// every output of the inputs before. LibTorch stays in the .cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/oracle/mutation_protocol.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/task/output_order.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct SharedArenas {
  SharedArena* inputs = nullptr;
  SharedArena* params = nullptr;
  SharedArena* outputs = nullptr;
};

struct Arenas {
  std::vector<SharedArenas> seats;  // the submission's, and the baselines' where they have one
  std::uint64_t input_stride = 0;   // bytes from one slot to the next, slack included
  std::uint64_t output_stride = 0;
  SharedArena* heap = nullptr;  // heap of the submission's process, where it has one
};

// CUDA: how long the device is kept busy before a call. A launch by a host that comes to it cold
// took 7 to 78 us on an H200's host, and counted for the side that followed another one. 300 us
// hide it; the supervisor's message to the worker takes another 150.
constexpr std::chrono::microseconds kBusyBeforeABaseline{300};
constexpr std::chrono::microseconds kBusyBeforeACall{450};

// Measures the device's peaks, independent of a task: large copies and large matrix products, the
// best of a few. Products are those of a CPU's float32 or, where that is faster, of `type`;
// bfloat16 on CUDA.
[[nodiscard]] Result<DevicePeaks> measure_peaks(Backend& backend, const std::string& torch_device,
                                                DType type);

class LoadedTask {
 public:
  // `parameters`: a file of what every placement has as parameters (initial_parameters.hpp); not
  // valid where they are drawn. kDoesNotFit when the plan exceeds free memory. A package that
  // cannot be loaded is no error: compiled_reason() then says why. `type`: of the task, which
  // load_task_in() has read.
  static Result<LoadedTask> load(Backend& backend, const Task& task, const std::string& size,
                                 const std::string& torch_device,
                                 const std::filesystem::path& package, UniqueFd parameters = {},
                                 DType type = DType::kFloat32);

  LoadedTask(LoadedTask&&) noexcept;
  LoadedTask& operator=(LoadedTask&&) noexcept;
  LoadedTask(const LoadedTask&) = delete;
  LoadedTask& operator=(const LoadedTask&) = delete;
  ~LoadedTask();

  [[nodiscard]] const std::string& compiled_reason() const;  // empty: there is a compiled baseline

  // Makes fresh memory for everything that a call touches, and draws parameters into it.
  Result<Arenas> place(const PlaceRequest& request);

  // Draws private inputs for the first slots.size() slots.
  Status inputs(const std::vector<SlotInputs>& slots);

  // Slot 0: the fp64 reference, and the eager run against it; one entry for each output. kNotFound
  // where eager does not run in a 16-bit type, for want of a kernel mostly. Where
  // the precision class allows convolutions TF32 (CUDA), the larger error of two: eager's, and that
  // of eager with the operands of its convolutions rounded to TF32.
  Result<std::vector<EagerError>> reference();

  // The largest errors of eager runs, after reference(), on inputs that differ from slot 0's in the
  // last bit of some numbers, against the same reference. Where the outputs are ill-conditioned,
  // rounding alone does this much to them, in one order of summation or another.
  Result<std::vector<EagerError>> perturbed_errors();

  // One timed visit of a baseline over all slots, in this process. Eager's outputs are kept.
  Result<BaselineTime> time(Side side);

  // Nanoseconds that a flush of the caches takes now.
  Result<std::int64_t> flush();

  // Poisons a seat's shared outputs and what surrounds them. Inputs are not visible yet. What
  // follows is about this seat.
  Status arm(Seat seat, const std::vector<SlotPlaces>& slots);

  // Copies one slot's inputs to their shared place, past the caches, which are flushed before slot
  // 0's call. CUDA: returns while the device is kept busy (kBusyBeforeACall), so that the worker
  // has launched before the inputs are complete. When they are, the gate gets the returned value;
  // it is the first word of the shared inputs' last kGateBytes. A stream that waits for the gate
  // cannot start early, whichever context has the device. CPU: the inputs are complete on return,
  // and there is no gate.
  Result<Revealed> reveal(int slot);

  // Copies a slot's shared outputs to private memory, where judge() and audit() find them; with the
  // last slot's what surrounds the outputs as well.
  Status snapshot(int slot, const OutputPlaces& places);

  // Notes that the snapshot, of the baselines' seat, is what eager computes from these inputs.
  Status keep_eager();

  // Looks around the outputs of the snapshot; with `everything` also at shared inputs and
  // parameters, which must equal the private ones.
  Result<Audit> audit(bool everything);

  // Judges the outputs of all armed slots (against the reference: slot 0 only): for each output the
  // worst slot's comparison, with wrong elements added up.
  Result<std::vector<CompareResult>> judge(Against against, const std::vector<OutputBound>& bounds);
  // Judges a baseline's outputs. kVendor: those in the baselines' seat, against the reference.
  // kEager: what was kept of the last ones that a player computed, against the reference, slot 0.
  // kCompiled: runs on slot 0, and is compared with eager. Errors: kBadInput for a submission.
  Result<std::vector<CompareResult>> judge_baseline(Side side,
                                                    const std::vector<OutputBound>& bounds);

  // Keeps the outputs for `kbench tasks lint`; after reference() and arm(). Meaning:
  // oracle/mutation_protocol.hpp.
  Status remember_outputs();
  Result<std::vector<BypassableNode>> bypassable_nodes();
  Result<MutationReply> mutate(const MutationRequest& request);

  // Gives memory that only references needed back to the device.
  void release_reference_memory();

 private:
  struct Impl;
  explicit LoadedTask(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// LibTorch takes the number of its threads from the environment
// (measure/players/player_environment.hpp); this one only looks. Setting the number would start
// another pool (pthreadpool) whose thread spins for 5 ms whenever the process goes on after a stop,
// on the core of the thread that computes.
Status check_threads(int threads);
// LibTorch-wide settings of this process: the precision class.
Status configure_torch(const std::string& precision);
[[nodiscard]] std::string torch_version();

}  // namespace kbench
