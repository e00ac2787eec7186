// The GPUs that one run measures on at once: "all", or "cuda:0,cuda:2". Rows of one run are ranked
// together, so its devices have one name, one size of memory and one driver. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/backend/cuda_probe.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The GPUs that the words name among `gpus`, all that CUDA shows to this process, by UUID: two runs
// that want the same ones then take them in the same order, whatever numbers they have for them.
// Empty where "all" finds no GPU: the run is one on the CPU. Errors: kUsage, with the devices that
// are not there, are named twice, or differ.
[[nodiscard]] Result<std::vector<GpuInfo>> choose_devices(const std::string& words,
                                                          const std::vector<GpuInfo>& gpus);

}  // namespace kbench
