// Whether the disk of a path is another machine's. SQLite's locks and its write-ahead log need
// shared memory and locks that all writers see, which network file systems do not keep
// (https://www.sqlite.org/wal.html, "All processes using a database must be on the same host"): two
// nodes that write to one file damage it, and neither is told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

// The type of the file system that a path lies on, as statfs(2) numbers them; none where it does
// not say.
using DiskKind = std::function<std::optional<std::uint32_t>(const std::filesystem::path&)>;
[[nodiscard]] std::optional<std::uint32_t> disk_kind(const std::filesystem::path& path);

// The name of such a type, "NFS", where it is one of a network; else empty. Types that may be
// either (FUSE; 9p, which is the local disk of some virtual machines) are none.
[[nodiscard]] std::string_view network_disk(std::uint32_t kind);

// As of database_path.hpp, on disks of those kinds.
[[nodiscard]] Status check_database_folder(const std::filesystem::path& file,
                                           const DiskKind& kind_of);

}  // namespace kbench
