// Peaks of devices by their makers, of data/devices.json, which is compiled in and names the
// document of each. A calibration far from them is a caution; none of them limits anything.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct DeviceSheet {
  std::string name;                        // name that people read
  std::vector<std::string> matches;        // all of these are in the driver's name of the device
  std::vector<std::string> excludes = {};  // none of these is in it
  double bytes_per_s = 0;                  // memory bandwidth
  // Operations a second by precision class, dense; fp32 and fp64 without tensor cores where the
  // library does not use them.
  std::map<std::string, double> products;
  std::string source;  // the document
};

// Errors: kBadInput, naming what is wrong.
[[nodiscard]] Result<std::vector<DeviceSheet>> parse_device_sheets(std::string_view json);
// The text of data/devices.json, generated when the build is configured.
extern const std::string_view kDeviceList;
// The list of data/devices.json.
[[nodiscard]] const std::vector<DeviceSheet>& device_sheets();
// The sheet of a device by its driver's name, "NVIDIA H100 80GB HBM3"; nullptr for a device that is
// not listed.
[[nodiscard]] const DeviceSheet* find_device_sheet(std::string_view name);

}  // namespace kbench
