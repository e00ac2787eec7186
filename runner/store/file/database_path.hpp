// Whether a path may be opened as a database at all. SQLite follows links, waits for whoever writes
// into a pipe, and takes any name; a file that somebody sent may come with either beside it.
// Checked before SQLite sees the name.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/core/result.hpp"

namespace kbench {

// A regular file, or nothing yet; its side files likewise, of which no journal names a file that
// SQLite would remove. Errors (kUsage) say what lies there
// instead and which name to give.
[[nodiscard]] Status check_database_path(const std::filesystem::path& file);

// Whether there is a folder to make the file in. Errors: kUsage.
[[nodiscard]] Status check_database_folder(const std::filesystem::path& file);

// Whether the file ends where a page does. SQLite takes a last page that is cut off for one that
// ends in zeros, and calls it sound. With a log beside it that is to be played back, its end is not
// known yet. To be asked of what check_database_path accepts. Errors: kBadInput.
[[nodiscard]] Status check_file_end(const std::filesystem::path& file);

// Size of the file and its write-ahead log; 0 if there is no file.
[[nodiscard]] std::uint64_t database_bytes(const std::filesystem::path& file);

}  // namespace kbench
