#include "runner/measure/watch/quiet_core.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "runner/measure/watch/core_pin.hpp"
#include "runner/measure/watch/surroundings.hpp"

namespace kbench {
namespace {

// Fewest cores for a choice: ours, the one that launches, and one that is neither.
constexpr std::size_t kFewestCores = 3;
constexpr std::size_t kMostTried = 16;

// Entries of the table, 128 KiB: beyond the first cache, as the code that launches kernels is.
constexpr std::size_t kTable = 32768;
constexpr int kSteps = 10'000;

std::array<std::uint32_t, kTable> make_table() {
  std::array<std::uint32_t, kTable> table{};
  std::uint32_t state = 1;
  for (std::uint32_t& entry : table) entry = state = state * 1664525 + 1013904223;
  return table;
}

// Time of loads that wait for each other, and of unpredictable branches: what two hyper-threads
// share.
std::int64_t walk_ns(const std::array<std::uint32_t, kTable>& table) {
  const std::int64_t start = steady_now_ns();
  std::uint32_t at = 1;
  std::uint64_t sum = 0;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    at = table[((at >> 8) + step) % kTable];
    if ((at & 0x100) != 0) {
      sum += at;
    } else {
      sum ^= at;
    }
    if ((at & 0x4000) != 0) sum *= 3;
  }
  const volatile std::uint64_t result = sum;
  (void)result;
  return steady_now_ns() - start;
}

}  // namespace

std::int64_t probe_core_ns(int core) {
  static const auto kEntries = make_table();
  const CorePin there(core);
  if (!there.pinned()) return std::numeric_limits<std::int64_t>::max();
  (void)walk_ns(kEntries);  // fills the core's caches
  return walk_ns(kEntries);
}

QuietCore::QuietCore(std::vector<int> cores, Probe probe)
    : cores_(std::move(cores)), probe_(std::move(probe)) {}

std::optional<int> QuietCore::choose() const {
  if (cores_.size() < kFewestCores) return std::nullopt;
  std::optional<int> fastest;
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < std::min(cores_.size(), kMostTried); ++i) {
    const std::int64_t nanoseconds = probe_(cores_[i]);
    if (fastest && nanoseconds >= fastest_ns) continue;
    fastest = cores_[i];
    fastest_ns = nanoseconds;
  }
  return fastest;
}

}  // namespace kbench
