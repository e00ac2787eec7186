// Unguessable, unique names of runs, episodes and handles of workspaces.
#pragma once

#include <cstddef>
#include <string>

namespace kbench {

// 128 random bits from the kernel, hex.
[[nodiscard]] std::string random_id();

// `bytes` random bytes from the kernel, at most 32, in hex.
[[nodiscard]] std::string random_hex(std::size_t bytes);

}  // namespace kbench
