#include "runner/worker/cuda_moments.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <cuda.h>

#include "runner/worker/cuda_driver.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMost = 1 << 15;

}  // namespace

struct CudaMoments::Impl {
  CudaDriver driver;
  CUstream stream = nullptr;
  std::vector<CUevent> events;  // kept for the next time
  std::size_t used = 0;

  // The event of a number that mark() gave.
  [[nodiscard]] CUevent event(int number) const {
    const auto index = static_cast<std::size_t>(number);
    return number >= 0 && index < used ? events[index] : nullptr;
  }
};

Result<CudaMoments> CudaMoments::of(void* stream) {
  auto driver = CudaDriver::load();
  if (!driver) return driver.error();
  auto impl = std::make_unique<Impl>();
  impl->driver = *driver;
  impl->stream = static_cast<CUstream>(stream);
  return CudaMoments(std::move(impl));
}

CudaMoments::CudaMoments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CudaMoments::CudaMoments(CudaMoments&&) noexcept = default;
CudaMoments& CudaMoments::operator=(CudaMoments&&) noexcept = default;
CudaMoments::~CudaMoments() = default;

int CudaMoments::mark() {
  if (impl_->used == kMost) return -1;
  if (impl_->used == impl_->events.size()) {
    CUevent made = nullptr;
    if (impl_->driver.event_create(&made, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return -1;
    impl_->events.push_back(made);
  }
  if (impl_->driver.event_record(impl_->events[impl_->used], impl_->stream) != CUDA_SUCCESS)
    return -1;
  return static_cast<int>(impl_->used++);
}

std::int64_t CudaMoments::between(int from, int to) const {
  const CUevent begin = impl_->event(from);
  const CUevent end = impl_->event(to);
  float milliseconds = 0;
  if (begin == nullptr || end == nullptr ||
      impl_->driver.event_elapsed(&milliseconds, begin, end) != CUDA_SUCCESS)
    return -1;
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

void CudaMoments::forget() { impl_->used = 0; }

}  // namespace kbench
