#include <omp.h>
#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runner/worker/worker_device.hpp"

namespace kbench {
namespace {

class CpuWorkerDevice final : public WorkerDevice {
 public:
  // OpenMP's runtime comes with the worker, before anything foreign: it binds this thread to its
  // core, where empty calls are to be made as well, and it is known code, of any owner.
  explicit CpuWorkerDevice(int threads) : threads_(threads) { omp_set_num_threads(threads); }

  Result<std::byte*> map_arena(const UniqueFd& fd, std::uint64_t bytes, bool writable) override {
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    // The arena is populated now, so that no timed call pays for page faults.
    void* mapped = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
    if (mapped == MAP_FAILED) {
      return Error{ErrorCode::kInfrastructure,
                   std::string("cannot map an arena: ") + std::strerror(errno), ""};
    }
    return static_cast<std::byte*>(mapped);
  }

  Result<void*> allocate_workspace(std::uint64_t bytes) override {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
      return Error{ErrorCode::kSubmission,
                   "the workspace of " + std::to_string(bytes) + " bytes could not be allocated",
                   "ask for less in kbench_workspace_bytes"};
    }
    return memory;
  }

  void describe(kb_context& context) const override {
    context.device_kind = KB_DEVICE_CPU;
    context.threads = threads_;
  }

  void wait_for_gate(const std::byte*, std::uint32_t) override {}

  [[nodiscard]] WaitStyle wait_style() const override { return WaitStyle::kFutex; }

  Timed time(const std::function<std::int32_t()>& body) override {
    const auto start = std::chrono::steady_clock::now();
    const std::int32_t status = body();
    const auto stop = std::chrono::steady_clock::now();
    return {status, std::chrono::nanoseconds(stop - start).count()};
  }

 private:
  int threads_;
};

}  // namespace

Result<std::unique_ptr<WorkerDevice>> make_cpu_worker_device(int threads) {
  return std::unique_ptr<WorkerDevice>(std::make_unique<CpuWorkerDevice>(threads));
}

}  // namespace kbench
