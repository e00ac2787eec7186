// Activities of a device in profiled calls: kernels, copies and memsets, as CUPTI tells them to
// the process that makes the calls.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/activity/counters.hpp"
#include "runner/core/json.hpp"

namespace kbench {

enum class ActivityKind : std::uint32_t { kKernel = 1, kCopy = 2, kMemset = 3 };

struct Activity {
  ActivityKind kind = ActivityKind::kKernel;
  std::string name;  // kernels: demangled and safe to show
  // Nanoseconds of the device's clock.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint64_t bytes = 0;  // copies and memsets
  // Kernels only.
  std::array<std::uint32_t, 3> grid{};   // blocks
  std::array<std::uint32_t, 3> block{};  // threads
  std::uint32_t registers = 0;           // a thread
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  // a thread: stack and spills

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

struct ProfiledCall {
  std::int64_t claimed_ns = 0;       // device events; CPU: the call's own clock
  std::int64_t host_ns = 0;          // time until the host had launched everything
  std::vector<Activity> activities;  // order: as they started
};

// Calls of a profile: some that warm up, those that are recorded, and one more whose kernels are
// counted and which has no time.
inline constexpr int kCallsBeforeAProfile = 3;
inline constexpr int kProfiledCalls = 10;
inline constexpr int kCountedCall = kCallsBeforeAProfile + kProfiledCalls;

struct RecordedActivity {
  std::vector<ProfiledCall> calls;
  std::uint64_t dropped = 0;             // activities that there was no room for
  std::string problem;                   // why there are no activities; empty: there are
  std::vector<KernelCounters> counters;  // the counted call's kernels, in the order of launch
  std::string counter_problem;           // why there are none; empty: there are, or not asked for
};

NLOHMANN_JSON_SERIALIZE_ENUM(ActivityKind, {{ActivityKind::kKernel, "kernel"},
                                            {ActivityKind::kCopy, "copy"},
                                            {ActivityKind::kMemset, "memset"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Activity, kind, name, start_ns, end_ns, stream, bytes, grid,
                                   block, registers, static_shared_bytes, dynamic_shared_bytes,
                                   local_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProfiledCall, claimed_ns, host_ns, activities)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RecordedActivity, calls, dropped, problem, counters,
                                                counter_problem)

}  // namespace kbench
