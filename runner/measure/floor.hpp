// The roofline of a task on a device: what no call can be shorter than. Pure.
#pragma once

#include <cstdint>

#include "runner/oracle/protocol.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// Nanoseconds below which no call of the task can be: every input, parameter and output crosses
// the memory bus once, save what the last-level cache may keep, and the multiplications take their
// time. Lenient where an honest kernel may do less: 80 % of the traffic, a quarter of the
// multiplications (Winograd's F(4,3)), a sixteenth beside triangular inputs, and none where algebra
// may leave most of them out (TaskSize::flops_avoidable); where inputs are indices, only outputs
// count.
[[nodiscard]] double floor_ns(const TaskSize& size, const DevicePeaks& peaks,
                              std::uint64_t cache_bytes);

}  // namespace kbench
