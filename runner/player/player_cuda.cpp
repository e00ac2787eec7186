// The part of the player that has a GPU: the native worker's own device, so that one clock and one
// protocol serve both, and moments on its stream.
#include <memory>
#include <mutex>
#include <utility>

#include "runner/player/observation.hpp"
#include "runner/player/operator_watch.hpp"
#include "runner/player/player_abi.hpp"
#include "runner/player/words.hpp"
#include "runner/worker/cuda_moments.hpp"
#include "runner/worker/worker_device.hpp"

namespace {

using kbench::write_words;

struct CudaPlayer {
  std::unique_ptr<kbench::WorkerDevice> device;
  void* stream = nullptr;
  kbench::CudaMoments moments;
};

CudaPlayer& player(void* device) { return *static_cast<CudaPlayer*>(device); }

kbench::Result<std::unique_ptr<CudaPlayer>> open_cuda() {
  auto device = kbench::make_cuda_worker_device();
  if (!device) return device.error();
  kb_context context{};
  (*device)->describe(context);
  auto moments = kbench::CudaMoments::of(context.stream);
  if (!moments) return moments.error();
  return std::make_unique<CudaPlayer>(
      CudaPlayer{std::move(*device), context.stream, std::move(*moments)});
}

class DeviceClock final : public kbench::OperatorClock {
 public:
  explicit DeviceClock(kbench::CudaMoments& moments) : moments_(moments) {}
  std::int64_t now() override {
    const std::scoped_lock lock(mutex_);
    return moments_.mark();
  }
  std::int64_t between(std::int64_t from, std::int64_t to) override {
    const std::scoped_lock lock(mutex_);
    return moments_.between(static_cast<int>(from), static_cast<int>(to));
  }

 private:
  kbench::CudaMoments& moments_;
  std::mutex mutex_;
};

}  // namespace

void* kb_open_cuda(char* words, std::size_t size) {
  auto opened = open_cuda();
  if (opened) return opened->release();
  write_words(opened.error().message, words, size);
  return nullptr;
}

std::uint64_t kb_cuda_stream(void* device) {
  return reinterpret_cast<std::uint64_t>(player(device).stream);
}

void* kb_map_cuda_arena(void* device, int fd, std::uint64_t bytes, char* words, std::size_t size) {
  auto mapped = player(device).device->map_arena(kbench::UniqueFd(fd), bytes, /*writable=*/true);
  if (mapped) return *mapped;
  write_words(mapped.error().message, words, size);
  return nullptr;
}

std::int32_t kb_time_cuda_call(void* device, const void* inputs, std::uint64_t input_bytes,
                               std::uint32_t gate, std::int32_t (*body)(), std::int64_t* ns) {
  kbench::WorkerDevice& worker = *player(device).device;
  worker.wait_for_gate(kbench::gate_of(static_cast<const std::byte*>(inputs), input_bytes), gate);
  const kbench::WorkerDevice::Timed timed = worker.time(body);
  *ns = timed.nanoseconds;
  return timed.status;
}

void kb_cuda_error_text(std::int32_t status, char* words, std::size_t size) {
  write_words(kbench::cuda_error_text(status), words, size);
}

void kb_watch_cuda_operators(void* device) {
  kbench::Observation& observed = kbench::observation();
  if (!observed.begin()) return;
  if (observed.begun == 1) player(device).moments.forget();
  // One clock for the process, which has one device.
  static DeviceClock of_the_device(player(device).moments);
  kbench::watch_operators(of_the_device);
}
