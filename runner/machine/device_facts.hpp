// Facts of one device: whoever measures there tells them to everybody else.
#pragma once

#include <cstdint>
#include <string>

namespace kbench {

enum class DeviceKind { kCpu, kCuda };

struct DeviceFacts {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name;  // "NVIDIA H200", or the CPU's model name
  int threads = 0;   // CPU threads in use
  int sm_count = 0;
  int compute_capability = 0;      // 10 * major + minor
  std::uint64_t memory_bytes = 0;  // all memory of the device
  std::uint64_t cache_bytes = 0;   // last-level cache
  std::uint64_t shared_bytes_per_block = 0;
  std::string driver;        // CUDA driver version, empty on CPU
  std::string cpu_features;  // widest vector extension in use: "avx512", "avx2", "default"
};

}  // namespace kbench
