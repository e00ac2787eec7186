// A temporary folder in which one submission is compiled: exactly the files that were hashed, and
// one folder the compiler may write to. Removed with its owner.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {

class Staging {
 public:
  // Makes TMPDIR/kbench-compile-XXXXXX, readable by all, with an empty out/.
  [[nodiscard]] static Result<Staging> make();
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  // `name` is a checked relative path.
  [[nodiscard]] Status add(const std::string& name, std::string_view bytes) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path out() const { return path_ / "out"; }

 private:
  explicit Staging(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Reads a file that untrusted code made: no link is followed, only a regular file is read.
[[nodiscard]] Result<std::string> read_foreign_file(const std::filesystem::path& file,
                                                    std::size_t max_bytes);

// Writes `bytes` under a temporary name and renames it, so that a reader sees all of it or nothing.
[[nodiscard]] Status write_atomically(const std::filesystem::path& file, std::string_view bytes,
                                      int mode);

}  // namespace kbench
