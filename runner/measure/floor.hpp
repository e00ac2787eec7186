// The floor of a task on a device, leniently: no call can be shorter, and one that is is suspect.
// The limit (limit.hpp) is of the same work, and is not lenient. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "runner/core/device_limits.hpp"
#include "runner/core/device_sheet.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/task/work.hpp"

namespace kbench {

// Nanoseconds. Lenient where an honest kernel may do less: 80 % of the bytes, save what the
// last-level cache may keep, and a quarter of the multiplications that are needed (Winograd's
// F(4,3)).
[[nodiscard]] double floor_ns(const Work& work, const DevicePeaks& peaks,
                              std::uint64_t cache_bytes);

// The higher of each: what the device showed in this evaluation, when it was calibrated, and what
// its maker says of it. A device that was slow when it was calibrated accuses nobody.
[[nodiscard]] DevicePeaks highest_peaks(const DevicePeaks& measured,
                                        const std::optional<DeviceLimits>& calibrated,
                                        const DeviceSheet* sheet);

}  // namespace kbench
