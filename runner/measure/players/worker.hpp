// The supervisor's view of one worker. One real implementation (WorkerProcess, in the sandbox); the
// interface is the seam at which tests put submissions that crash, hang or lie on cue.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/players/arenas.hpp"
#include "runner/measure/players/model_account.hpp"
#include "runner/measure/players/player.hpp"
#include "runner/measure/players/torch_use.hpp"
#include "runner/measure/players/worker_kind.hpp"
#include "runner/measure/watch/code_profile.hpp"
#include "runner/measure/watch/libraries.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class Worker : public Player {
 public:
  [[nodiscard]] virtual const WorkerKind& kind() const { return native_worker(); }
  // Has the worker load the submission as soon as it is ready, and waits for neither. No code of
  // the submission runs before that; a ready worker takes empty calls.
  virtual std::optional<EarlyEnd> load() = 0;
  // Waits until the submission is loaded. Empty: loaded.
  virtual std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds timeout) = 0;
  // Binds the first thread of each of its processes to these cores. Only while no call is
  // outstanding.
  virtual void run_on(std::span<const int> cores) = 0;
  [[nodiscard]] virtual bool has_prepare() const = 0;
  // The worker's account of the model that it loaded.
  [[nodiscard]] virtual ModelAccount model_account() { return {}; }
  // The code that its processes have mapped, as the kernel tells. Errors: kInfrastructure;
  // kSubmission for a worker that hides its code.
  [[nodiscard]] virtual Result<std::vector<MappedCode>> mapped_code() = 0;
  // Checks the files that the worker has written. Empty: within the limits.
  virtual std::optional<EarlyEnd> check_written() { return std::nullopt; }
  // The last lines that it printed, safe to show; empty without any. For its author only.
  [[nodiscard]] virtual std::string last_output() = 0;
  // The worker's report of the operators of torch in the last call, which was a kObserved one. Its
  // word, and no proof.
  [[nodiscard]] virtual TorchUse torch_use() { return {}; }
  // Profiles of the calls looked at since the last take.
  [[nodiscard]] virtual CodeProfiles take_code_profile() { return {}; }
};

struct WorkerStart {
  std::string device;  // "cpu" or "cuda"
  int device_index = 0;
  int threads = 1;
  std::filesystem::path library;  // compiled; of a Python submission, the folder of its files
  const TaskSize* size = nullptr;
  const PlacedArenas* arenas = nullptr;
  // kBaselines: it plays eager, on the arenas of that seat.
  Seat seat = Seat::kSubmission;
  std::uint64_t parameter_base = 0;  // start of its parameters in their arena
  std::string precision;             // class of the run; torch of a Python submission is set to it
  // CUPTI's library for a profile, and the descriptor of the file that takes activities
  // (activity/activity_file.hpp). Else empty and -1.
  std::filesystem::path cupti = {};
  int activity = -1;
};

// Starts a worker; loading goes on in the background.
using WorkerFactory = std::function<Result<std::unique_ptr<Worker>>(const WorkerStart&)>;

}  // namespace kbench
