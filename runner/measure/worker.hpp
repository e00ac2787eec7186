// The supervisor's view of one worker. One real implementation (WorkerProcess, in the sandbox); the
// interface is the seam at which tests put submissions that crash, hang or lie on cue.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/measure/oracle.hpp"
#include "runner/task/task.hpp"
#include "runner/worker/mailbox.hpp"

namespace kbench {

// How an evaluation ends early: a terminal state with its words.
struct EarlyEnd {
  State state = State::kInfrastructureError;
  std::string message;
  std::string hint;
};

struct WorkerCall {
  CallKind kind = CallKind::kNull;
  std::uint64_t parameter_base = 0;
  SlotPlaces places;
  std::chrono::milliseconds timeout{10'000};
};

struct WorkerAnswer {
  // Set when the call did not complete: crash, timeout, or a non-zero status.
  std::optional<EarlyEnd> failure;
  std::int64_t claimed_ns = 0;  // the worker's word
  std::int64_t wall_ns = 0;     // the supervisor's clock, from raising go to seeing done
};

class Worker {
 public:
  virtual ~Worker() = default;
  // Waits until it takes empty calls, for those who want to make some. Nothing of the submission
  // runs before load().
  virtual std::optional<EarlyEnd> await_ready(std::chrono::milliseconds timeout) = 0;
  // Has it load the submission as soon as it is ready, and waits for neither.
  virtual std::optional<EarlyEnd> load() = 0;
  // Waits until the submission is loaded. Empty: it is.
  virtual std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds timeout) = 0;
  // The worker's processes are stopped before and after, they run only inside this call.
  virtual WorkerAnswer call(const WorkerCall& call) = 0;
  // Binds the first thread of its processes to a core; while no call is outstanding.
  virtual void run_on(int core) = 0;
  [[nodiscard]] virtual bool has_prepare() const = 0;
  // Files with code that its processes have mapped, as the kernel tells. Errors: kInfrastructure.
  [[nodiscard]] virtual Result<std::vector<std::string>> mapped_code() = 0;
};

struct WorkerStart {
  std::string device;  // "cpu" or "cuda"
  int device_index = 0;
  int threads = 1;
  std::filesystem::path library;
  const TaskSize* size = nullptr;
  const PlacedArenas* arenas = nullptr;
};

// Starts a worker; loading goes on in the background.
using WorkerFactory = std::function<Result<std::unique_ptr<Worker>>(const WorkerStart&)>;

}  // namespace kbench
