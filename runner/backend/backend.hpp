// The oracle's view of a device: shared arenas, reproducible values, comparison, cache flushing,
// timing. One implementation for the CPU, one for CUDA. Pointers are device pointers. No LibTorch
// here: the oracle lends the raw pointers of its tensors.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/machine/device_facts.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// Memory that another process can map through `fd`. On CPU a memfd, on CUDA a physical allocation
// exported as a POSIX descriptor. Unmapped when destroyed.
class SharedArena {
 public:
  virtual ~SharedArena() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;      // its address in this process
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;  // no fewer than were asked for
  [[nodiscard]] virtual int fd() const = 0;               // owned by the arena
  // CPU: no new writable mapping can be made from now on (F_SEAL_FUTURE_WRITE). CUDA: nothing, the
  // device has no such seal; the oracle never reads shared inputs there.
  virtual Status seal() = 0;
};

// The key of drawn values: 64 bits (secret), and the index of the tensor within its task.
struct DrawKey {
  std::uint64_t key = 0;
  std::uint64_t tensor = 0;
};

// Compares `elements` values of `got` with `reference`, elementwise and in one pass:
// an element is wrong when |got - reference| > absolute_bound + ulp_factor * ulp32(max(|reference|,
// rms)) + relative_bound * |reference|, or when one is NaN or infinite and the other is not the
// same. With a scaled_bound, the first of the three is at most scaled_bound * max(|reference|,
// rms). Integers and booleans are compared exactly.
struct CompareRequest {
  const void* got = nullptr;
  DType got_dtype = DType::kFloat32;
  const void* reference = nullptr;
  DType reference_dtype = DType::kFloat64;
  std::uint64_t elements = 0;
  double absolute_bound = 0;  // may be infinite: then only the sums and the maximum are of interest
  double ulp_factor = 0;
  double rms = 0;  // root mean square of the reference; from an earlier comparison
  double relative_bound = 0;
  double scaled_bound = 0;  // 0: none
};

struct CompareResult {
  std::uint64_t wrong = 0;
  std::uint64_t first_wrong = 0;  // index; meaningful when wrong > 0
  double first_wrong_got = 0;     // the two values there
  double first_wrong_reference = 0;
  double max_error = 0;              // largest finite |got - reference|
  double tolerance_at_max = 0;       // the bound of that element
  double sum_squared_error = 0;      // float64 accumulation
  double sum_squared_reference = 0;  // finite elements only
  // Where the oracle has looked at means (OutputBound::slices): the slice whose mean is the worst.
  double slice_share = 0;  // its mean error over what is allowed
  double slice_error = 0;
  std::uint64_t slice_dimension = 0;
  std::uint64_t slice_index = 0;
};

struct MemoryRegion {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const DeviceFacts& facts() const = 0;
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() const = 0;

  virtual Result<std::unique_ptr<SharedArena>> create_arena(std::uint64_t bytes) = 0;

  // Writes the values of `tensor` (in its own dtype) to `destination`. The same key gives the same
  // bits on every device. Asynchronous on CUDA (default stream), like all below that return Status.
  virtual Status draw(const TensorSpec& tensor, DrawKey key, void* destination) = 0;
  virtual Status copy(void* destination, const void* source, std::uint64_t bytes) = 0;
  // Copies what another process reads next: on CPU it is not left in the caches.
  virtual Status copy_uncached(void* destination, const void* source, std::uint64_t bytes) = 0;
  // Fills with 0xFF bytes: NaN in every floating dtype, -1 in integers. On CPU as copy_uncached.
  virtual Status poison(void* destination, std::uint64_t bytes) = 0;
  virtual Result<CompareResult> compare(const CompareRequest& request) = 0;

  // How many bytes of the regions are not as poison() left them.
  virtual Result<std::uint64_t> count_unpoisoned(std::span<const MemoryRegion> regions) = 0;
  // How many bytes differ between two buffers that start at multiples of 256.
  virtual Result<std::uint64_t> count_differing(const void* a, const void* b,
                                                std::uint64_t bytes) = 0;

  // CUDA: gives persisting L2 lines up, then keeps the device busy so long (asynchronously): what
  // is launched meanwhile, by a host that comes to it cold, starts without a gap. CPU: nothing.
  virtual Status occupy(std::chrono::microseconds duration) = 0;
  // CUDA: writes the gate's value behind all that is queued, for a stream that waits for it. CPU:
  // nothing.
  virtual Status open_gate(std::byte* gate, std::uint32_t value) = 0;
  // CPU: takes this memory out of all caches. CUDA: nothing, flush_cache takes everything.
  virtual Status evict(const void* memory, std::uint64_t bytes) = 0;
  // Evicts the last-level cache before every timed call; on a CPU 64 MiB of it at most.
  virtual Status flush_cache() = 0;
  // How long the last flush took on the device, nanoseconds; waits for it.
  virtual Result<std::int64_t> last_flush_ns() = 0;
  // CPU: the short prologue before what the oracle times itself; players have none.
  virtual Status prologue() = 0;
  virtual Status synchronize() = 0;

  // Times what happens on this process's default stream (CUDA) or on the caller's thread (CPU)
  // between the two calls; nanoseconds. stop_timer waits for the work.
  virtual Status start_timer() = 0;
  virtual Result<std::int64_t> stop_timer() = 0;

  // Bytes read plus bytes written per second by the fastest of a few large copies. Takes memory for
  // a moment; some milliseconds on CUDA, some hundred on CPU.
  virtual Result<double> copy_bandwidth() = 0;

  // SM clock now, by a short spin kernel (clock64 over globaltimer); 0 on CPU.
  virtual Result<std::int64_t> sm_clock_khz() = 0;
};

[[nodiscard]] Result<std::unique_ptr<Backend>> make_cpu_backend(int threads);
// The CUDA backend. Only in programs linked with kbench::backend_cuda.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_cuda_backend(int device_index);

}  // namespace kbench
