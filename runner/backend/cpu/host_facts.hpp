// What this host is: processor, vector extensions, memory. Read from /proc and sysconf by the CPU
// backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kbench::cpu {

[[nodiscard]] std::string model_name();
// "avx512", "avx2" or "default": the variant of its kernels that ATen picks on this processor.
[[nodiscard]] std::string vector_features();
[[nodiscard]] std::uint64_t memory_bytes();
// Empty when /proc/meminfo cannot be read.
[[nodiscard]] std::optional<std::uint64_t> available_bytes();
// Last-level cache as the system reports it; 0 where it does not.
[[nodiscard]] std::uint64_t cache_bytes();
// Processors that this process may run on.
[[nodiscard]] int usable_processors();

}  // namespace kbench::cpu
