#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/backend/backend.hpp"
#include "runner/backend/cpu/cold_memory.hpp"
#include "runner/backend/cpu/compare.hpp"
#include "runner/backend/cpu/draw.hpp"
#include "runner/backend/cpu/memfd_arena.hpp"
#include "runner/backend/cpu/prologue.hpp"
#include "runner/backend/draw_plan.hpp"
#include "runner/machine/host_facts.hpp"

namespace kbench {

namespace {

using Clock = std::chrono::steady_clock;

// Some last-level caches hold hundreds of megabytes, of a whole socket; flushing that before every
// call would cost more than the calls. What a call reads and writes is evicted by its address; this
// is for what has none that the oracle knows: code, and memory of the players' own.
constexpr std::uint64_t kLargestFlush = std::uint64_t{64} << 20;
constexpr std::uint64_t kUnknownCacheFlush = std::uint64_t{32} << 20;

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(DeviceFacts facts) : facts_(std::move(facts)) {}

  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }

  [[nodiscard]] Result<std::uint64_t> free_bytes() const override {
    if (const auto bytes = cpu::available_bytes()) return *bytes;
    return Error{ErrorCode::kInfrastructure, "/proc/meminfo has no MemAvailable",
                 "mount /proc where kbench runs"};
  }

  Result<std::unique_ptr<SharedArena>> create_arena(std::uint64_t bytes) override {
    // The kernel hands out more than there is and kills a process later: ask first.
    const auto available = cpu::available_bytes();
    if (available && bytes > *available) {
      return Error{
          ErrorCode::kDoesNotFit,
          fmt::format("an arena of {} bytes does not fit: {} bytes are free", bytes, *available),
          "free some memory, or choose a smaller size"};
    }
    return cpu::create_memfd_arena(bytes);
  }

  Status draw(const TensorSpec& tensor, DrawKey key, void* destination) override {
    if (tensor.draw.kind == Draw::Kind::kData) {
      const auto values = stored_values(tensor);
      if (!values) return values.error();
      std::memcpy(destination, values->data(), values->size());
      return Done{};
    }
    const auto plan = plan_draw(tensor, key);
    if (!plan) return plan.error();
    cpu::draw(*plan, facts_.threads, static_cast<std::byte*>(destination));
    return Done{};
  }

  Status copy(void* destination, const void* source, std::uint64_t bytes) override {
    for_chunks(bytes, [=](std::uint64_t offset, std::uint64_t size) {
      std::memcpy(static_cast<std::byte*>(destination) + offset,
                  static_cast<const std::byte*>(source) + offset, size);
    });
    return Done{};
  }

  Status copy_uncached(void* destination, const void* source, std::uint64_t bytes) override {
    for_chunks(bytes, [=](std::uint64_t offset, std::uint64_t size) {
      cpu::copy_cold(static_cast<std::byte*>(destination) + offset,
                     static_cast<const std::byte*>(source) + offset, size);
    });
    return Done{};
  }

  Status poison(void* destination, std::uint64_t bytes) override {
    for_chunks(bytes, [=](std::uint64_t offset, std::uint64_t size) {
      cpu::fill_cold(static_cast<std::byte*>(destination) + offset, 0xFF, size);
    });
    return Done{};
  }

  Status evict(const void* memory, std::uint64_t bytes) override {
    for_chunks(bytes, [=](std::uint64_t offset, std::uint64_t size) {
      cpu::evict(static_cast<const std::byte*>(memory) + offset, size);
    });
    return Done{};
  }

  Result<CompareResult> compare(const CompareRequest& request) override {
    return cpu::compare(request, facts_.threads);
  }

  Result<std::uint64_t> count_unpoisoned(std::span<const MemoryRegion> regions) override {
    std::uint64_t found = 0;
    for (const MemoryRegion& region : regions) {
      const auto* bytes = static_cast<const unsigned char*>(region.data);
      found += static_cast<std::uint64_t>(
          std::count_if(bytes, bytes + region.bytes, [](unsigned char b) { return b != 0xFF; }));
    }
    return found;
  }

  Result<std::uint64_t> count_differing(const void* a, const void* b,
                                        std::uint64_t bytes) override {
    const auto* left = static_cast<const unsigned char*>(a);
    const auto* right = static_cast<const unsigned char*>(b);
    std::atomic<std::uint64_t> found{0};
    for_chunks(bytes, [&](std::uint64_t offset, std::uint64_t size) {
      if (std::memcmp(left + offset, right + offset, size) == 0) return;
      for (std::uint64_t i = offset; i < offset + size; ++i) found += left[i] != right[i] ? 1 : 0;
    });
    return found.load();
  }

  Status occupy(std::chrono::microseconds) override { return Done{}; }
  Status open_gate(std::byte*, std::uint32_t) override { return Done{}; }

  Status flush_cache() override {
    const std::uint64_t flush = facts_.cache_bytes == 0
                                    ? kUnknownCacheFlush
                                    : std::min(2 * facts_.cache_bytes, kLargestFlush);
    flush_buffer_.resize(flush / sizeof(std::uint64_t));  // this is done once, never by a player
    const auto start = Clock::now();
    std::uint64_t* words = flush_buffer_.data();
    for_chunks(flush_buffer_.size() * sizeof(std::uint64_t),
               [=](std::uint64_t offset, std::uint64_t size) {
                 const std::uint64_t end = (offset + size) / sizeof(std::uint64_t);
                 for (std::uint64_t i = offset / sizeof(std::uint64_t); i < end; ++i) ++words[i];
               });
    last_flush_ = Clock::now() - start;
    return Done{};
  }

  Result<std::int64_t> last_flush_ns() override {
    return std::int64_t{std::chrono::nanoseconds(last_flush_).count()};
  }

  Status prologue() override {
    cpu_team_prologue(facts_.threads);
    return Done{};
  }

  Status synchronize() override { return Done{}; }

  Status start_timer() override {
    started_ = Clock::now();
    return Done{};
  }

  Result<std::int64_t> stop_timer() override {
    const auto elapsed = Clock::now() - started_;
    return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()};
  }

  Result<double> copy_bandwidth() override {
    constexpr std::uint64_t kBytes = std::uint64_t{128} << 20;
    constexpr int kCopies = 6;  // the first one takes the page faults
    const std::vector<std::byte> source(kBytes);
    std::vector<std::byte> destination(kBytes);
    double best_seconds = HUGE_VAL;
    for (int i = 0; i < kCopies; ++i) {
      const auto start = Clock::now();
      if (auto copied = copy(destination.data(), source.data(), kBytes); !copied)
        return copied.error();
      best_seconds =
          std::min(best_seconds, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return 2.0 * static_cast<double>(kBytes) / best_seconds;
  }

  Result<std::int64_t> sm_clock_khz() override { return std::int64_t{0}; }

 private:
  // Calls work(offset, size) for every part of `bytes` bytes, on all threads.
  template <class Work>
  void for_chunks(std::uint64_t bytes, const Work& work) const {
    const auto chunks =
        static_cast<std::int64_t>((bytes + cpu::kMemoryPiece - 1) / cpu::kMemoryPiece);
#pragma omp parallel for num_threads(facts_.threads) schedule(static) if (chunks > 1)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint64_t offset = static_cast<std::uint64_t>(chunk) * cpu::kMemoryPiece;
      work(offset, std::min(cpu::kMemoryPiece, bytes - offset));
    }
  }

  DeviceFacts facts_;
  std::vector<std::uint64_t> flush_buffer_;
  Clock::time_point started_{};
  Clock::duration last_flush_{};
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(int threads) {
  if (threads < 0) {
    return Error{ErrorCode::kUsage, fmt::format("{} threads make no sense", threads),
                 "give a positive number, or 0 for all processors"};
  }
  DeviceFacts facts;
  facts.kind = DeviceKind::kCpu;
  facts.name = cpu::model_name();
  facts.threads = threads != 0 ? threads : cpu::usable_processors();
  facts.memory_bytes = cpu::memory_bytes();
  facts.cache_bytes = cpu::cache_bytes();
  facts.cpu_features = cpu::vector_features();
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(std::move(facts)));
}

}  // namespace kbench
