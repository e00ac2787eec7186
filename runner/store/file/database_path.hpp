// Whether a path may be opened as a database at all. SQLite follows links, waits for a writer of a
// pipe, and takes any name; a file that was sent may come with either beside it. Checked before
// SQLite sees the name.
//
// Nor may the file lie on another machine's disk. SQLite's locks and its write-ahead log need
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

// A regular file, or nothing yet; its side files likewise, of which no journal names a file that
// SQLite would remove. Errors (kUsage) say what lies there instead and which name to give.
[[nodiscard]] Status check_database_path(const std::filesystem::path& file);

// Whether there is a folder to make the file in, on a disk of this machine. Errors: kUsage.
[[nodiscard]] Status check_database_folder(const std::filesystem::path& file);

// The type of the file system that a path lies on, as statfs(2) numbers them; none where it does
// not say.
using DiskKind = std::function<std::optional<std::uint32_t>(const std::filesystem::path&)>;
[[nodiscard]] std::optional<std::uint32_t> disk_kind(const std::filesystem::path& path);

// The name of such a type, "NFS", where it is one of a network; else empty. Types that may be
// either (FUSE; 9p, which is the local disk of some virtual machines) are none.
[[nodiscard]] std::string_view network_disk(std::uint32_t kind);

// The same with `kind_of` in place of disk_kind().
[[nodiscard]] Status check_database_folder(const std::filesystem::path& file,
                                           const DiskKind& kind_of);

// Whether the file ends where a page does. SQLite takes a last page that is cut off for one that
// ends in zeros, and calls it sound. With a log beside it that is to be played back, its end is not
// known yet. To be asked of what check_database_path accepts. Errors: kBadInput.
[[nodiscard]] Status check_file_end(const std::filesystem::path& file);

// Size of the file and its write-ahead log; 0 if there is no file.
[[nodiscard]] std::uint64_t database_bytes(const std::filesystem::path& file);

}  // namespace kbench
