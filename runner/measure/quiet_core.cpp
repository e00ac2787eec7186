#include "runner/measure/quiet_core.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <limits>

#include "runner/measure/surroundings.hpp"

namespace kbench {
namespace {

// Ours, the one that launches, and one that is neither.
constexpr std::size_t kFewestCores = 3;
constexpr std::size_t kMostTried = 16;
constexpr double kQuiet = 1.12;  // times the quickest

// 128 KiB: beyond the first cache, as the code that launches kernels is.
constexpr std::size_t kTable = 32768;
constexpr int kSteps = 10'000;

std::array<std::uint32_t, kTable> make_table() {
  std::array<std::uint32_t, kTable> table{};
  std::uint32_t state = 1;
  for (std::uint32_t& entry : table) entry = state = state * 1664525 + 1013904223;
  return table;
}

// Loads that wait for each other, and branches nobody can foresee: what two hyper-threads share.
std::int64_t walk_ns(const std::array<std::uint32_t, kTable>& table) {
  const std::int64_t start = steady_now_ns();
  std::uint32_t at = 1;
  std::uint64_t sum = 0;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    at = table[((at >> 8) + step) % kTable];
    if ((at & 0x100) != 0)
      sum += at;
    else
      sum ^= at;
    if ((at & 0x4000) != 0) sum *= 3;
  }
  volatile std::uint64_t result = sum;
  (void)result;
  return steady_now_ns() - start;
}

}  // namespace

std::int64_t probe_core_ns(int core) {
  static const auto table = make_table();
  cpu_set_t before;
  const bool known = ::sched_getaffinity(0, sizeof before, &before) == 0;
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(static_cast<std::size_t>(core), &there);
  if (!known || ::sched_setaffinity(0, sizeof there, &there) != 0)
    return std::numeric_limits<std::int64_t>::max();
  (void)walk_ns(table);  // fills the core's caches
  const std::int64_t nanoseconds = walk_ns(table);
  (void)::sched_setaffinity(0, sizeof before, &before);
  return nanoseconds;
}

std::int64_t QuietCore::probe(std::size_t index) {
  const std::int64_t nanoseconds = probe_(cores_[index]);
  quickest_ns_ = quickest_ns_ == 0 ? nanoseconds : std::min(quickest_ns_, nanoseconds);
  return nanoseconds;
}

bool QuietCore::is_quiet(std::int64_t nanoseconds) const {
  return static_cast<double>(nanoseconds) <= kQuiet * static_cast<double>(quickest_ns_);
}

std::optional<int> QuietCore::choose() {
  if (cores_.size() < kFewestCores) return std::nullopt;
  const bool first = quickest_ns_ == 0;
  const std::size_t tried = std::min(cores_.size(), kMostTried);
  std::size_t best = current_;
  std::int64_t best_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < tried; ++i) {
    const std::size_t index = (current_ + i) % cores_.size();
    const std::int64_t nanoseconds = probe(index);
    if (nanoseconds < best_ns) {
      best = index;
      best_ns = nanoseconds;
    }
    if (!first && is_quiet(nanoseconds)) break;  // the first time nobody knows what quiet is
  }
  current_ = best;
  return cores_[current_];
}

}  // namespace kbench
