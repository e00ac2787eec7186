// The text of data/devices.json, generated when the build is configured.
#pragma once

#include <string_view>

namespace kbench {

extern const std::string_view kDeviceList;

}  // namespace kbench
