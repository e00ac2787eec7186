// The limits of the oracle's device, for `kbench calibrate`: slower and more thorough than
// the peaks of every evaluation (loaded_task.hpp).
#pragma once

#include <string>

#include "runner/backend/backend.hpp"
#include "runner/core/device_limits.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Measures bandwidth by large copies, sums and fills; products of large squares in each precision
// class that the device has; on a CPU fused multiply-adds by vector width, on CUDA the cost of a
// launch. Takes some seconds, and at most 4 GiB on CUDA, 1 GiB on a CPU, kept until the oracle
// ends. `measured_at` stays empty.
[[nodiscard]] Result<DeviceLimits> measure_limits(Backend& backend,
                                                  const std::string& torch_device);

}  // namespace kbench
