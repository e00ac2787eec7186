#include "runner/core/device_limits.hpp"

#include <algorithm>

namespace kbench {

double DeviceLimits::bandwidth() const { return std::max({copy.value, read.value, write.value}); }

}  // namespace kbench
