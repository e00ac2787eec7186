#include "runner/core/device_limits.hpp"

#include <algorithm>

namespace kbench {

double DeviceLimits::bandwidth() const { return std::max(reading(), writing()); }

double DeviceLimits::reading() const { return std::max(copy.value, read.value); }

double DeviceLimits::writing() const { return std::max(copy.value, write.value); }

}  // namespace kbench
