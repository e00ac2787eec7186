// Measures what a device can do at most, once, by an oracle of its own while no other command
// measures there; and says where that is far from what its maker states.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/device_limits.hpp"
#include "runner/core/device_sheet.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/task/work.hpp"

namespace kbench {

struct MeasuredDevice {
  CalibratedDevice device;
  DeviceLimits limits;
};

// Waits for other measurements there, ends its oracle again, and keeps the limits as the device's.
// Errors: kUsage, there is no place to keep them; those of take_measuring_lock and of the oracle.
[[nodiscard]] Result<MeasuredDevice> measure_device_limits(const Installation& around,
                                                           const Target& target);

// The same of each device, one after the other; those before one that fails are kept.
[[nodiscard]] Result<std::vector<MeasuredDevice>> measure_limits_of_each(
    const Installation& around, std::span<const Target> targets);

// One sentence for each figure whose median round lay more than 15 % below the best, and for each
// below 70 % or above 105 % of the data sheet's; none where there is no sheet, or where a figure is
// on either side unknown.
[[nodiscard]] std::vector<std::string> cautions_of(const DeviceLimits& limits,
                                                   const DeviceSheet* sheet);

// {schema_version, device, name, driver, limits, data_sheet, cautions[]}; without a sheet, null.
[[nodiscard]] Json limits_json(const MeasuredDevice& measured, const DeviceSheet* sheet);

// The same of one device, with its data sheet; of several {schema_version, devices[]}.
[[nodiscard]] Json limits_json(const std::vector<MeasuredDevice>& measured);

// Limits in words for people and agents: {"memory bandwidth, measured", "3200 GB/s"}, the products
// of each precision class, and the least time of this work in one of them, of which a last-level
// cache of `cache_bytes` may keep what is written.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> describe_limits(
    const DeviceLimits& limits, const Work& work, std::uint64_t cache_bytes,
    const std::string& precision = "fp32");

// The last-level cache of a target; of a GPU, the largest of those in data/devices.json.
[[nodiscard]] std::uint64_t cache_bytes_of(const Target& target);

}  // namespace kbench
