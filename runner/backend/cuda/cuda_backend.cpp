#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "runner/backend/backend.hpp"
#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/compare.hpp"
#include "runner/backend/cuda/draw.hpp"
#include "runner/backend/cuda/exported_arena.hpp"
#include "runner/backend/cuda/gate.hpp"
#include "runner/backend/cuda/integrity.hpp"
#include "runner/backend/cuda/occupy.hpp"
#include "runner/backend/cuda/sm_clock.hpp"
#include "runner/backend/draw_plan.hpp"

namespace kbench {

namespace {

using cuda::check;

// The same in the worker: a short write that wakes the device's front end before a timed call.
constexpr std::size_t kFlushBytes = std::size_t{64} << 10;  // the cache of a device that tells none
constexpr unsigned kBlocksPerSm = 16;

struct FreeDevice {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
struct FreePinned {
  void operator()(void* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;
using PinnedMemory = std::unique_ptr<void, FreePinned>;
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

// Results that kernels write for the host to read.
struct Answers {
  CompareResult comparison;
  cuda::ClockReading clock;
  unsigned long long count = 0;
};

class CudaBackend : public Backend {
 public:
  CudaBackend(int device, DeviceFacts facts, bool persisting_cache)
      : device_(device),
        facts_(std::move(facts)),
        persisting_cache_(persisting_cache),
        blocks_(kBlocksPerSm * static_cast<unsigned>(facts_.sm_count)) {}

  // To be called once, before anything else.
  Status allocate() {
    flush_bytes_ = std::max<std::size_t>(2 * facts_.cache_bytes, kFlushBytes);
    const std::size_t scratch_bytes = cuda::compare_scratch_bytes(blocks_);
    Status status = allocate_device(flush_bytes_, flush_);
    if (status) status = allocate_device(scratch_bytes, scratch_);
    if (!status) return status;
    void* pinned = nullptr;
    status = check(cudaHostAlloc(&pinned, sizeof(Answers), cudaHostAllocMapped), "cudaHostAlloc");
    if (!status) return status;
    pinned_.reset(pinned);
    answers_ = new (pinned) Answers{};
    for (Event* event : {&start_, &stop_, &flush_start_, &flush_stop_}) {
      cudaEvent_t created = nullptr;
      status = check(cudaEventCreate(&created), "cudaEventCreate");
      if (!status) return status;
      event->reset(created);
    }
    if (!persisting_cache_) return Done{};
    return check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0), "cudaDeviceSetLimit");
  }

  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }

  [[nodiscard]] Result<std::uint64_t> free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    const Status status = check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (!status) return status.error();
    return std::uint64_t{free};
  }

  Result<std::unique_ptr<SharedArena>> create_arena(std::uint64_t bytes) override {
    return cuda::create_exported_arena(device_, bytes);
  }

  Status draw(const TensorSpec& tensor, DrawKey key, void* destination) override {
    if (tensor.draw.kind == Draw::Kind::kData) {
      const auto values = stored_values(tensor);
      if (!values) return values.error();
      // Pageable memory has been read completely when the call returns.
      return check(cudaMemcpy(destination, values->data(), values->size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy of stored values");
    }
    const auto plan = plan_draw(tensor, key);
    if (!plan) return plan.error();
    return cuda::draw(*plan, blocks_, destination);
  }

  Status copy(void* destination, const void* source, std::uint64_t bytes) override {
    return check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, nullptr),
                 "cudaMemcpyAsync");
  }

  Status copy_uncached(void* destination, const void* source, std::uint64_t bytes) override {
    return copy(destination, source, bytes);  // the caller flushes the caches afterwards
  }

  Status poison(void* destination, std::uint64_t bytes) override {
    return check(cudaMemsetAsync(destination, 0xFF, bytes, nullptr), "cudaMemsetAsync");
  }

  Result<CompareResult> compare(const CompareRequest& request) override {
    Status status = cuda::compare(request, blocks_, scratch_.get(), &answers_->comparison);
    if (status) status = synchronize();
    if (!status) return status.error();
    return answers_->comparison;
  }

  Result<std::uint64_t> count_unpoisoned(std::span<const MemoryRegion> regions) override {
    Status status = clear_count();
    for (const MemoryRegion& region : regions) {
      if (!status) break;
      status = cuda::count_unpoisoned(region.data, region.bytes, blocks_, count());
    }
    return read_count(status);
  }

  Result<std::uint64_t> count_differing(const void* a, const void* b,
                                        std::uint64_t bytes) override {
    Status status = clear_count();
    if (status) status = cuda::count_differing(a, b, bytes, blocks_, count());
    return read_count(status);
  }

  Status occupy(std::chrono::microseconds duration) override {
    // The reset comes ahead of the work, because it waits for what is queued.
    if (persisting_cache_) {
      const Status reset = check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
      if (!reset) return reset;
    }
    return cuda::occupy(duration);
  }

  Status open_gate(std::byte* gate, std::uint32_t value) override {
    return cuda::open_gate(reinterpret_cast<std::uint32_t*>(gate), value);
  }

  Status evict(const void*, std::uint64_t) override { return Done{}; }

  Status flush_cache() override {
    Status status = check(cudaEventRecord(flush_start_.get(), nullptr), "cudaEventRecord");
    if (status) {
      status = check(cudaMemsetAsync(flush_.get(), 0, flush_bytes_, nullptr),
                     "cudaMemsetAsync of the flush buffer");
    }
    if (status) status = check(cudaEventRecord(flush_stop_.get(), nullptr), "cudaEventRecord");
    return status;
  }

  Result<std::int64_t> last_flush_ns() override {
    return elapsed_ns(flush_start_.get(), flush_stop_.get());
  }

  // There is no prologue: the device is busy with the flush when the clock starts.
  Status prologue() override { return Done{}; }

  Status synchronize() override {
    return check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

  Status start_timer() override {
    return check(cudaEventRecord(start_.get(), nullptr), "cudaEventRecord");
  }

  Result<std::int64_t> stop_timer() override {
    const Status status = check(cudaEventRecord(stop_.get(), nullptr), "cudaEventRecord");
    if (!status) return status.error();
    return elapsed_ns(start_.get(), stop_.get());
  }

  Result<double> copy_bandwidth() override {
    constexpr std::size_t kBytes = std::size_t{512} << 20;
    constexpr int kCopies = 6;
    DeviceMemory memory;
    if (const Status allocated = allocate_device(2 * kBytes, memory); !allocated)
      return allocated.error();
    auto* destination = static_cast<std::byte*>(memory.get());
    std::int64_t best_ns = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kCopies; ++i) {
      Status status = start_timer();
      if (status) status = copy(destination, destination + kBytes, kBytes);
      if (!status) return status.error();
      auto nanoseconds = stop_timer();
      if (!nanoseconds) return nanoseconds.error();
      best_ns = std::min(best_ns, *nanoseconds);
    }
    return 2.0 * static_cast<double>(kBytes) / (static_cast<double>(best_ns) * 1e-9);
  }

  Result<std::int64_t> sm_clock_khz() override {
    Status status = cuda::read_clock(&answers_->clock);
    if (status) status = synchronize();
    if (!status) return status.error();
    const cuda::ClockReading reading = answers_->clock;
    if (reading.nanoseconds == 0) {
      return Error{ErrorCode::kInfrastructure, "the device's global timer stands still", ""};
    }
    const double khz =
        1e6 * static_cast<double>(reading.cycles) / static_cast<double>(reading.nanoseconds);
    return std::int64_t{std::llround(khz)};
  }

 private:
  // The counter of the integrity kernels lies at the start of the scratch memory.
  [[nodiscard]] unsigned long long* count() const {
    return static_cast<unsigned long long*>(scratch_.get());
  }
  Status clear_count() {
    return check(cudaMemsetAsync(count(), 0, sizeof(unsigned long long), nullptr),
                 "cudaMemsetAsync of a counter");
  }
  Result<std::uint64_t> read_count(Status status) {
    if (status) {
      status = check(cudaMemcpyAsync(&answers_->count, count(), sizeof(unsigned long long),
                                     cudaMemcpyDeviceToHost, nullptr),
                     "cudaMemcpyAsync of a counter");
    }
    if (status) status = synchronize();
    if (!status) return status.error();
    return std::uint64_t{answers_->count};
  }

  static Result<std::int64_t> elapsed_ns(cudaEvent_t start, cudaEvent_t stop) {
    Status status = check(cudaEventSynchronize(stop), "cudaEventSynchronize");
    float milliseconds = 0;
    if (status)
      status = check(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
    if (!status) return status.error();
    return std::int64_t{std::llround(double{milliseconds} * 1e6)};
  }

  static Status allocate_device(std::size_t bytes, DeviceMemory& memory) {
    void* allocated = nullptr;
    Status status = check(cudaMalloc(&allocated, bytes), "cudaMalloc");
    if (status) memory.reset(allocated);
    return status;
  }

  int device_;
  DeviceFacts facts_;
  bool persisting_cache_;
  unsigned blocks_;
  std::size_t flush_bytes_ = 0;
  DeviceMemory flush_;
  DeviceMemory scratch_;
  PinnedMemory pinned_;
  Answers* answers_ = nullptr;  // it lies in pinned_
  Event start_;
  Event stop_;
  Event flush_start_;
  Event flush_stop_;
};

DeviceFacts facts_of(const cudaDeviceProp& properties, int driver_version) {
  DeviceFacts facts;
  facts.kind = DeviceKind::kCuda;
  facts.name = properties.name;
  facts.sm_count = properties.multiProcessorCount;
  facts.compute_capability = 10 * properties.major + properties.minor;
  facts.memory_bytes = properties.totalGlobalMem;
  facts.cache_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  facts.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  facts.driver = fmt::format("{}.{}", driver_version / 1000, driver_version % 1000 / 10);
  return facts;
}

}  // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend(int device_index) {
  cudaDeviceProp properties{};
  int driver_version = 0;
  Status status = check(cudaSetDevice(device_index), "cudaSetDevice");
  if (status) {
    status = check(cudaGetDeviceProperties(&properties, device_index), "cudaGetDeviceProperties");
  }
  if (status) status = check(cudaDriverGetVersion(&driver_version), "cudaDriverGetVersion");
  if (!status) return status.error();
  auto backend = std::make_unique<CudaBackend>(device_index, facts_of(properties, driver_version),
                                               properties.persistingL2CacheMaxSize > 0);
  if (const Status allocated = backend->allocate(); !allocated) return allocated.error();
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace kbench
