// The supervisor's view of an oracle. One real implementation (OracleProcess); the interface is the
// seam at which tests put a scripted device. Meaning of each call: oracle/protocol.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/measure/players/arenas.hpp"
#include "runner/measure/players/player.hpp"
#include "runner/oracle/protocol.hpp"

namespace kbench {

struct OracleHello {
  DeviceFacts facts;
  std::string torch;
  std::string precision;
};

class Oracle {
 public:
  virtual ~Oracle() = default;

  // The device, the version of LibTorch, and the precision class in force.
  virtual Result<OracleHello> hello() = 0;
  // Puts a new process in place of this one, with nothing loaded.
  virtual Status restart() = 0;
  // Loads a task. Returns why there is no compiled baseline; empty when there is one. `parameters`:
  // a descriptor of the packed parameters of every placement (initial_parameters.hpp); -1: they are
  // drawn.
  virtual Result<std::string> load(const std::filesystem::path& task_file, const std::string& size,
                                   const std::filesystem::path& package, int parameters) = 0;
  // Makes fresh memory for everything that a call touches, and draws parameters into it.
  virtual Result<PlacedArenas> place(const PlaceRequest& request) = 0;
  // CPU: starts a process that plays what was loaded last, in the baselines' arenas, and returns at
  // once. The places of its code, heap and threads move a time by some 2 %, so each placement has a
  // player of its own.
  virtual Result<std::unique_ptr<Player>> start_player(const PlacedArenas& arenas,
                                                       std::uint64_t param_offset) = 0;
  // The baselines' snapshot holds eager's outputs for the inputs drawn last: judge() compares with
  // these from now on.
  virtual Status keep_eager() = 0;
  // Draws private inputs for the first slots.size() slots.
  virtual Status inputs(const std::vector<SlotInputs>& slots) = 0;
  // Slot 0: the fp64 reference, and eager's error against it; one entry for each output.
  virtual Result<std::vector<EagerError>> reference() = 0;
  // Errors of eager on inputs that differ in their last bits, after reference(); see LoadedTask.
  virtual Result<std::vector<EagerError>> perturbed() = 0;
  // Gives memory that only references needed back to the device.
  virtual Status release() = 0;
  // One timed visit of a baseline over all slots.
  virtual Result<BaselineTime> time(Side side) = 0;
  // CUDA: such a visit, while the device's activities are written to a file
  // (activity/activity_file.hpp); `cupti` is the library.
  virtual Result<BaselineTime> record(Side side, const std::filesystem::path& cupti, int file) = 0;
  // Nanoseconds that a flush of the caches takes now.
  virtual Result<std::int64_t> flush() = 0;
  // Poisons a seat's shared outputs and what surrounds them. Selects the seat of all requests until
  // the next arm().
  virtual Status arm(Seat seat, const std::vector<SlotPlaces>& slots) = 0;
  // Copies one slot's inputs to their shared place; what a worker may expect then: LoadedTask.
  virtual Result<Revealed> reveal(int slot) = 0;
  // Copies a slot's shared outputs to private memory, where judge() and audit() find them.
  virtual Status snapshot(int slot, const OutputPlaces& places) = 0;
  // Looks around the outputs of the snapshot; with `everything` also at inputs and parameters.
  virtual Result<Audit> audit(bool everything) = 0;
  // The highest peaks measured. They are measured once, however often the oracle restarts, and once
  // more after each doubt.
  virtual Result<DevicePeaks> peaks() = 0;
  // Has the next peaks() measure again: other programs may have been at work the last time.
  virtual void doubt_peaks() = 0;
  // Judges the outputs of all armed slots: for each output the worst slot's comparison.
  virtual Result<std::vector<CompareResult>> judge(Against against,
                                                   const std::vector<OutputBound>& bounds) = 0;
  // Judges a baseline's outputs. kEager (where a player made them) and kVendor (those in the
  // baselines' seat) are compared with the reference; kCompiled runs on slot 0 first, and is
  // compared with eager.
  virtual Result<std::vector<CompareResult>> judge_baseline(
      Side side, const std::vector<OutputBound>& bounds) = 0;
  // The clock of the multiprocessors; 0 on a CPU.
  virtual Result<std::int64_t> sm_clock_khz() = 0;

  // While the submission runs on a CPU: stops every thread of the oracle, and lets them go on.
  virtual Status freeze() = 0;
  virtual Status thaw() = 0;

  // Binds the thread that launches kernels to a core.
  virtual void run_on(int core) = 0;
};

}  // namespace kbench
