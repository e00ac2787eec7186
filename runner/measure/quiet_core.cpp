#include "runner/measure/quiet_core.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "runner/measure/core_pin.hpp"
#include "runner/measure/surroundings.hpp"

namespace kbench {
namespace {

// Ours, the one that launches, and one that is neither.
constexpr std::size_t kFewestCores = 3;
constexpr std::size_t kMostTried = 16;
constexpr int kFirstRounds = 3;      // over all cores, before anything is chosen
constexpr double kWeight = 1.0 / 8;  // of the newest answer in the average
constexpr double kSlowCore = 1.12;   // times the quickest

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

QuietCore::QuietCore(const std::vector<int>& cores, Probe probe) : probe_(std::move(probe)) {
  for (const int core : cores) cores_.push_back({.number = core});
}

std::int64_t QuietCore::ask(Core& core) {
  const std::int64_t nanoseconds = probe_(core.number);
  const auto now = static_cast<double>(nanoseconds);
  core.usual_ns += core.usual_ns == 0 ? now : kWeight * (now - core.usual_ns);
  quickest_ns_ = quickest_ns_ == 0 ? nanoseconds : std::min(quickest_ns_, nanoseconds);
  return nanoseconds;
}

bool QuietCore::is_quiet(std::int64_t nanoseconds) const {
  return static_cast<double>(nanoseconds) <= kSlowCore * static_cast<double>(quickest_ns_);
}

std::optional<int> QuietCore::choose() {
  if (cores_.size() < kFewestCores) return std::nullopt;
  if (quickest_ns_ == 0) {
    for (int round = 0; round < kFirstRounds; ++round)
      for (Core& core : cores_) ask(core);
  }
  ask(cores_[turn_++ % cores_.size()]);
  std::vector<Core*> order;
  for (Core& core : cores_) order.push_back(&core);
  std::sort(order.begin(), order.end(),
            [](const Core* a, const Core* b) { return a->usual_ns < b->usual_ns; });
  order.resize(std::min(order.size(), kMostTried));
  const Core* fastest = nullptr;
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (Core* core : order) {
    const std::int64_t nanoseconds = ask(*core);
    if (is_quiet(nanoseconds)) return core->number;
    if (nanoseconds > fastest_ns) continue;
    fastest = core;
    fastest_ns = nanoseconds;
  }
  return fastest->number;
}

}  // namespace kbench
