// The CUDA side of a worker through the driver API, loaded at run time: a worker for CPU
// submissions, or on a machine without a driver, never touches it.
#include <memory>
#include <string>
#include <utility>

#include <cuda.h>

#include "runner/backend/gate.hpp"
#include "runner/worker/cuda_driver.hpp"
#include "runner/worker/worker_device.hpp"

namespace kbench {
namespace {

class CudaWorkerDevice final : public WorkerDevice {
 public:
  explicit CudaWorkerDevice(CudaDriver driver) : driver_(driver) {}

  // The supervisor shows this process one device only.
  Status open() {
    if (auto ok = check(driver_.init(0), "cuInit"); !ok) return ok;
    if (auto ok = check(driver_.device_get(&device_, 0), "cuDeviceGet"); !ok) return ok;
    CUcontext context = nullptr;
    // The primary context is the one that the submission's CUDA runtime uses as well.
    if (auto ok = check(driver_.context_retain(&context, device_), "cuDevicePrimaryCtxRetain"); !ok)
      return ok;
    if (auto ok = check(driver_.context_set(context), "cuCtxSetCurrent"); !ok) return ok;
    driver_.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
    keep_freed_memory();
    // A blocking stream: work on the legacy default stream is ordered with it, and so timed.
    if (auto ok = check(driver_.stream_create(&stream_, CU_STREAM_DEFAULT), "cuStreamCreate"); !ok)
      return ok;
    if (auto ok = check(driver_.event_create(&start_, CU_EVENT_DEFAULT), "cuEventCreate"); !ok)
      return ok;
    return check(driver_.event_create(&stop_, CU_EVENT_DEFAULT), "cuEventCreate");
  }

  Result<std::byte*> map_arena(const UniqueFd& fd, std::uint64_t bytes, bool) override {
    CUmemGenericAllocationHandle handle = 0;
    auto* shareable = reinterpret_cast<void*>(static_cast<std::uintptr_t>(fd.get()));
    CUdeviceptr address = 0;
    CUmemAccessDesc access{};
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
    // Read-only access is refused by some drivers for imported memory, so all is writable: the
    // oracle never reads a shared input back.
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (auto ok = check(
            driver_.import_handle(&handle, shareable, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            "cuMemImportFromShareableHandle");
        !ok)
      return ok.error();
    if (auto ok = check(driver_.address_reserve(&address, bytes, 0, 0, 0), "cuMemAddressReserve");
        !ok)
      return ok.error();
    if (auto ok = check(driver_.map(address, bytes, 0, handle, 0), "cuMemMap"); !ok)
      return ok.error();
    if (auto ok = check(driver_.set_access(address, bytes, &access, 1), "cuMemSetAccess"); !ok)
      return ok.error();
    return reinterpret_cast<std::byte*>(address);
  }

  Result<void*> allocate_workspace(std::uint64_t bytes) override {
    CUdeviceptr memory = 0;
    if (driver_.allocate(&memory, bytes) != CUDA_SUCCESS) {
      return Error{ErrorCode::kSubmission,
                   "the workspace of " + std::to_string(bytes) +
                       " bytes could not be allocated on the device",
                   "ask for less in kbench_workspace_bytes"};
    }
    return reinterpret_cast<void*>(memory);
  }

  void describe(kb_context& context) const override {
    context.stream = stream_;
    context.device_kind = KB_DEVICE_CUDA;
    context.threads = 1;
    context.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    context.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                 attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    context.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    context.shared_bytes_per_block = static_cast<std::uint64_t>(
        attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  }

  [[nodiscard]] WaitStyle wait_style() const override { return WaitStyle::kSpin; }

  void wait_for_gate(const std::byte* gate, std::uint32_t value) override {
    gate_ = reinterpret_cast<CUdeviceptr>(gate);
    gate_value_ = value;
  }

  // The host gets ahead of the device while the gate is shut: the first launches cost nobody
  // anything, however cold the host comes to them. Nothing but the gate stands before the start
  // event: a kernel in between, of 2 us, would be 12 us of free work for a second stream (H200).
  Timed time(const std::function<std::int32_t()>& body) override {
    CUresult result = CUDA_SUCCESS;
    if (const std::uint32_t value = std::exchange(gate_value_, 0); value != 0)
      result = driver_.stream_wait_value(stream_, gate_, value, CU_STREAM_WAIT_VALUE_EQ);
    driver_.event_record(start_, stream_);
    Timed timed;
    timed.status = body();
    if (result == CUDA_SUCCESS) result = driver_.event_record(stop_, stream_);
    if (result == CUDA_SUCCESS) result = driver_.event_synchronize(stop_);
    // Work on any other stream belongs to the call too: done is not said before it has ended.
    if (result == CUDA_SUCCESS) result = driver_.context_synchronize();
    keep_nothing_in_the_cache();
    float milliseconds = 0;
    if (result == CUDA_SUCCESS) result = driver_.event_elapsed(&milliseconds, start_, stop_);
    timed.nanoseconds = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
    if (timed.status == 0) timed.status = static_cast<std::int32_t>(result);
    return timed;
  }

 private:
  // Memory that a call frees on its stream stays the process's, as with LibTorch's own allocator.
  // By default the pool shrinks whenever the device has caught up, which is after the last event,
  // and time that no event sees contradicts the worker's word.
  void keep_freed_memory() const {
    CUmemoryPool pool = nullptr;
    if (driver_.default_pool(&pool, device_) != CUDA_SUCCESS) return;
    cuuint64_t all = ~cuuint64_t{0};
    driver_.set_pool_attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
  }

  // Persisting lines would outlive the flush before the next call, which evicts all others. Only
  // where there may be some: a reset waits for the cache, by 0.2 ms more or less.
  void keep_nothing_in_the_cache() const {
    std::size_t kept = 0;
    if (driver_.get_limit(&kept, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) == CUDA_SUCCESS && kept == 0)
      return;
    driver_.reset_persisting_l2();
    driver_.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  }

  Status check(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) return Done{};
    return Error{ErrorCode::kInfrastructure,
                 std::string(call) + " failed in the worker: " + driver_.error_text(result),
                 "run `kbench doctor`"};
  }

  [[nodiscard]] int attribute(CUdevice_attribute which) const {
    int value = 0;
    driver_.device_attribute(&value, which, device_);
    return value;
  }

  CudaDriver driver_;
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
  CUdeviceptr gate_ = 0;
  std::uint32_t gate_value_ = 0;
};

}  // namespace

Result<std::unique_ptr<WorkerDevice>> make_cuda_worker_device() {
  const auto driver = CudaDriver::load();
  if (!driver) return driver.error();
  auto device = std::make_unique<CudaWorkerDevice>(*driver);
  if (auto opened = device->open(); !opened) return opened.error();
  return std::unique_ptr<WorkerDevice>(std::move(device));
}

const std::byte* gate_of(const std::byte* inputs, std::uint64_t bytes) {
  return inputs + bytes - kGateBytes;
}

std::string cuda_error_text(std::int32_t status) {
  const auto driver = CudaDriver::load();
  return driver ? driver->error_text(static_cast<CUresult>(status)) : driver.error().message;
}

}  // namespace kbench
