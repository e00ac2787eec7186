// Keeps the cache from growing for ever: compiled submissions, extensions, packages, Triton's
// kernels. Foreign code decides how large most of it is, so nothing stays only because it was made
// once. What was used longest ago goes first.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace kbench {

struct CacheLimits {
  std::uintmax_t bytes = std::uintmax_t{16} << 30;  // size of all files
  // Files that were used more recently stay: a run may be about to use them.
  std::chrono::seconds spared = std::chrono::hours{24};
  // Two looks: a look takes some milliseconds for a thousand files.
  std::chrono::seconds between = std::chrono::hours{1};
};

// The folder of one agent's compiled sources: looked at whenever something is added to it, since an
// agent makes terabytes within a day.
inline constexpr CacheLimits kCacheOfOneAgent{.bytes = std::uintmax_t{4} << 30,
                                              .spared = std::chrono::minutes{10},
                                              .between = std::chrono::seconds{0}};

// Bytes that were removed. A file that cannot be removed stays; links are not followed.
std::uintmax_t sweep_cache(const std::filesystem::path& folder, const CacheLimits& limits = {});

}  // namespace kbench
