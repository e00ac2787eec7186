// Facts of this host: processor, vector extensions, memory. Sources: /proc, /sys
// and sysconf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kbench::cpu {

[[nodiscard]] std::string model_name();
// "avx512", "avx2" or "default": the variant of its kernels that ATen picks on this processor.
[[nodiscard]] std::string vector_features();
[[nodiscard]] std::uint64_t memory_bytes();
// Empty when /proc/meminfo cannot be read.
[[nodiscard]] std::optional<std::uint64_t> available_bytes();
// The last-level cache that the first usable processor shares, by the kernel's list of its caches,
// else as sysconf reports it, which on some processors adds up a whole socket's; 0 where neither
// tells.
[[nodiscard]] std::uint64_t cache_bytes();
// The largest level in a folder like /sys/devices/system/cpu/cpu0/cache; 0 where it is none.
[[nodiscard]] std::uint64_t last_level_bytes(const std::filesystem::path& caches);
// Processors that this process may run on.
[[nodiscard]] int usable_processors();

}  // namespace kbench::cpu
