// The cores of the lanes of one run (runner/lane): whole physical ones near their GPU, none of
// which two lanes share, so that no lane's threads wait for another's. What is left builds. Pure,
// but for the kernel's list of hyper-threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "runner/machine/cuda_probe.hpp"

namespace kbench {

// Physical cores of a lane: one that launches, the supervisor's, the oracle's, and one that is none
// of them. A lane with one less still measures; with two less, those wait for each other.
inline constexpr std::size_t kLaneCores = 4;
inline constexpr std::size_t kFewestLaneCores = 3;

struct LaneCores {
  GpuInfo gpu;
  std::vector<int> cores;  // hyper-threads of its physical cores
};

// Shares of `usable`, in the order of `gpus`. GPUs that have the same cores near share these; one
// that has none of its own near takes of all. Where the cores do not suffice, the last GPUs get no
// lane.
[[nodiscard]] std::vector<LaneCores> lane_cores(
    const std::vector<GpuInfo>& gpus, const std::vector<int>& usable,
    const std::filesystem::path& topology = "/sys/devices/system/cpu");

// Cores of `usable` that no lane has.
[[nodiscard]] std::vector<int> builders_cores(const std::vector<LaneCores>& lanes,
                                              const std::vector<int>& usable);

}  // namespace kbench
