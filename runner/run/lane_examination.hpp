// The partition of a host's cores among the lanes of `kbench run --devices all`, as a finding of
// `kbench doctor`.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "runner/device/examination.hpp"
#include "runner/machine/cuda_probe.hpp"

namespace kbench {

// The finding on lanes; nothing where there are fewer than two GPUs. A caution where fewer lanes
// than GPUs find cores.
[[nodiscard]] std::optional<Finding> find_lanes(
    const std::vector<GpuInfo>& gpus, const std::vector<int>& usable,
    const std::filesystem::path& topology = "/sys/devices/system/cpu");

// Adds the finding on the lanes of this machine and process, if there is one.
void add_lanes(std::vector<Finding>& findings);

}  // namespace kbench
