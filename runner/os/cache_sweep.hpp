// Keeps the cache from growing for ever: compiled submissions, extensions, packages, Triton's
// kernels. Foreign code decides how large most of it is, so nothing stays only because it was made
// once. What was used longest ago goes first.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace kbench {

struct CacheLimits {
  std::uintmax_t bytes = std::uintmax_t{16} << 30;  // of all files
  std::chrono::hours spared{24};  // what was used more recently stays: a run may be about to use it
  std::chrono::hours between{1};  // two looks: a look takes some milliseconds for a thousand files
};

// Bytes that were removed. A file that cannot be removed stays; links are not followed.
std::uintmax_t sweep_cache(const std::filesystem::path& folder, const CacheLimits& limits = {});

}  // namespace kbench
