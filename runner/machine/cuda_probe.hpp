// Is there a GPU, and which? Links no CUDA. NVML answers within milliseconds; the CUDA driver
// (cuInit: hundreds) is asked only where NVML is missing or cannot tell which GPUs CUDA would show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct GpuInfo {
  int index = 0;  // CUDA's number of the device in this process
  std::string name;
  int compute_capability = 0;  // 10 * major + minor
  std::uint64_t memory_bytes = 0;
  std::string driver;  // "580.65.06" from NVML; the CUDA version it supports, "13.0", otherwise
  // Only NVML tells these:
  std::optional<int> nvml_index;
  std::string uuid;             // "GPU-…"; empty where unknown
  std::vector<int> near_cores;  // cores of the GPU's NUMA node
  std::size_t sharing = 1;      // GPUs of the host that have these cores near, this one included
  std::size_t place = 0;        // its place among them, in NVML's order
  std::optional<std::int64_t> max_sm_clock_khz;
  std::optional<std::vector<std::string>> clock_limits;  // why it is not at its fastest just now
};

// The GPUs that CUDA shows to this process, in its order; empty without GPU or driver.
[[nodiscard]] std::vector<GpuInfo> probe_gpus();

// The devices that CUDA_VISIBLE_DEVICES selects out of `count`. Like CUDA, it stops at the first
// entry that names no device. Empty optional when an entry is not a plain number (a UUID or a MIG
// instance), which only the driver can resolve.
[[nodiscard]] std::optional<std::vector<int>> visible_devices(std::string_view variable, int count);

}  // namespace kbench
