// Small files, read and written whole, and folders for the time being.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

// The whole file; nothing where it cannot be read to its end, or is a folder. For files of ours and
// the kernel's.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& file);

// Reads a file that untrusted code made: no link is followed, only a regular file is read.
[[nodiscard]] Result<std::string> read_foreign_file(const std::filesystem::path& file,
                                                    std::size_t max_bytes);

// A new file, all of it or none. Errors: kInfrastructure, where it exists as well.
[[nodiscard]] Status write_new_file(const std::filesystem::path& file, std::string_view bytes);

// Writes `bytes` under a temporary name and renames it, so that a reader sees all of it or nothing.
[[nodiscard]] Status write_atomically(const std::filesystem::path& file, std::string_view bytes,
                                      int mode);

// TMPDIR/NAME.XXXXXX, for our user alone, removed with its owner. As long as it lives it holds a
// lock on the folder (flock), which the kernel takes back however the process ends: what a killed
// one left is removed when the next folder of that name is made.
class ScratchFolder {
 public:
  [[nodiscard]] static Result<ScratchFolder> make(const std::string& name);
  ScratchFolder() = default;  // none
  ScratchFolder(ScratchFolder&& other) noexcept
      : lock_(std::move(other.lock_)), path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  UniqueFd lock_;
  std::filesystem::path path_;
};

}  // namespace kbench
