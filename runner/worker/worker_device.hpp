// A worker's view of its device: map the three arenas, a stream, a workspace, a timer. Implemented
// for the CPU and, through the driver API loaded at run time, for CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runner/abi/kbench.h"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/worker/mailbox.hpp"

namespace kbench {

class WorkerDevice {
 public:
  virtual ~WorkerDevice() = default;

  // Maps an arena of `bytes` behind `fd`; the mapping lives as long as the process.
  virtual Result<std::byte*> map_arena(const UniqueFd& fd, std::uint64_t bytes, bool writable) = 0;
  virtual Result<void*> allocate_workspace(std::uint64_t bytes) = 0;
  // Fills in stream and device facts.
  virtual void describe(kb_context& context) const = 0;
  [[nodiscard]] virtual WaitStyle wait_style() const = 0;

  struct Timed {
    std::int32_t status = 0;
    std::int64_t nanoseconds = 0;
  };
  // CUDA: has what time() starts next wait on the device until the word has the value.
  virtual void wait_for_gate(const std::byte* gate, std::uint32_t value) = 0;
  // Runs what has to precede a call, then times `body` until all of its work is complete. `body`
  // returns the submission's status. A device error becomes a non-zero status.
  virtual Timed time(const std::function<std::int32_t()>& body) = 0;
};

[[nodiscard]] Result<std::unique_ptr<WorkerDevice>> make_cpu_worker_device(int threads);
[[nodiscard]] Result<std::unique_ptr<WorkerDevice>> make_cuda_worker_device();

// The gate's place in an arena of inputs of so many bytes.
[[nodiscard]] const std::byte* gate_of(const std::byte* inputs, std::uint64_t bytes);
// The driver's words for a status of Timed that is its error.
[[nodiscard]] std::string cuda_error_text(std::int32_t status);

}  // namespace kbench
