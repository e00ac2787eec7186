// Bounds of a task's time on a device, from the work of its graph and what the device can do at
// most. The limit is what reports compare a time with. The floor is lenient, and a time below it is
// suspect. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/core/device_limits.hpp"
#include "runner/core/device_sheet.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/task/work.hpp"

namespace kbench {

struct TaskLimit {
  std::optional<double> ns;          // time as one kernel
  std::optional<double> unfused_ns;  // the sum over operators, each alone
  double bytes_ns = 0;               // this and the next: the limit is the longer of the two
  double products_ns = 0;
  // Bandwidths of what is read and of what is written: the higher one of a copy's and of reading
  // (writing) alone, as calibrated; else a copy's, measured in passing.
  double read_bytes_per_s = 0;
  double written_bytes_per_s = 0;
  // "bytes, calibrated 2026-01-02T03:04:05Z", "products, measured beside it"; without a limit, why.
  std::string basis;
  bool calibrated = false;  // limits were calibrated; no: peaks were measured in passing
};

// The limit of a task. In the class torch-default each product counts at the peak of the precision
// that PyTorch computes it in by default. Peaks are those of the calibration, where there is one
// with the precision class, else those of the evaluation. What is written may stay in a last-level
// cache of `cache_bytes`; what is read is not in it, as caches are cold.
[[nodiscard]] TaskLimit limit_of(const Work& work, const std::string& precision,
                                 const DevicePeaks& measured,
                                 const std::optional<DeviceLimits>& calibrated,
                                 std::uint64_t cache_bytes);

// The floor in nanoseconds; no call can be shorter. It is lenient where an honest kernel may do
// less: 80 % of the bytes, save what the last-level cache may keep, and a quarter of the
// multiplications that are needed (Winograd's F(4,3)).
[[nodiscard]] double floor_ns(const Work& work, const DevicePeaks& peaks,
                              std::uint64_t cache_bytes);

// The highest of each peak: what the device showed in this evaluation, when it was calibrated, and
// what its maker says of it. A device that was slow when it was calibrated accuses no submission.
[[nodiscard]] DevicePeaks highest_peaks(const DevicePeaks& measured,
                                        const std::optional<DeviceLimits>& calibrated,
                                        const DeviceSheet* sheet);

}  // namespace kbench
