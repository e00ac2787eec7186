// The device that a command measures on, and the size of its tasks there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/machine/cuda_probe.hpp"

namespace kbench {

struct Target {
  std::string device;  // "cpu" or "cuda"
  int device_index = 0;
  std::optional<GpuInfo> gpu;  // the GPU; none on "cpu"
  std::vector<int> cores;      // GPU: cores of this process, those of its NUMA node if known
  std::string size;            // "small" or "full"
};

}  // namespace kbench
