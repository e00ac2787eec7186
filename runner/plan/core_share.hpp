// The cores from which work for one GPU is launched. Where several GPUs have the same cores near,
// each has a part of its own: launching threads are pinned to the fastest core there is, and two
// runs on two GPUs of one host found the same one, on which calls then waited for each other by 2
// to 7 ms.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "runner/machine/cuda_probe.hpp"

namespace kbench {

// The hyper-threads of a physical core; in ascending order, as their first ones are.
using PhysicalCores = std::vector<std::vector<int>>;

// These cores as the kernel groups them below `topology`; one that it says nothing of is alone.
[[nodiscard]] PhysicalCores physical_cores(
    const std::vector<int>& cores,
    const std::filesystem::path& topology = "/sys/devices/system/cpu");

// The part of the GPU at `place`, from 0, of `gpus` that share these cores: whole physical ones.
// All of them where a part would have fewer than four threads.
[[nodiscard]] std::vector<int> core_share(const PhysicalCores& cores, std::size_t place,
                                          std::size_t gpus);

// Cores of `usable` from which work for this GPU is launched: its part of the near ones, or of all
// where none is near.
[[nodiscard]] std::vector<int> launching_cores(
    const GpuInfo& gpu, const std::vector<int>& usable,
    const std::filesystem::path& topology = "/sys/devices/system/cpu");

}  // namespace kbench
