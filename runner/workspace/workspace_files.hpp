// File operations of an agent without a shell, in its workspace. Paths are relative to it; it reads
// all of it and writes below kernels/ alone. Results are what its tools answer. The folder is the
// judge's own, and no other process writes in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class WorkspaceFiles {
 public:
  explicit WorkspaceFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // {path, first_line, lines, text}: `lines` is how many the file has. Errors: kUsage.
  [[nodiscard]] Result<Json> read(const std::string& path, std::size_t first_line,
                                  std::optional<std::size_t> lines) const;
  // {path, bytes}. Errors: kUsage, where it is not below kernels/, or with it there would be more
  // than kernel_tree.hpp allows.
  [[nodiscard]] Result<Json> write(const std::string& path, const std::string& text) const;
  // {path, bytes}, like write(). `old` stands there exactly once.
  [[nodiscard]] Result<Json> edit(const std::string& path, const std::string& old,
                                  const std::string& text) const;
  // {files: [{path, bytes}]}, sorted; of those that match the shell glob.
  [[nodiscard]] Result<Json> glob(const std::string& pattern) const;
  // {lines: [{path, line, text}], more}: at most 100 of them.
  [[nodiscard]] Result<Json> grep(const std::string& text) const;

 private:
  [[nodiscard]] Result<std::string> text_of(const std::string& path) const;
  [[nodiscard]] Result<Json> put(const std::string& path, const std::string& text) const;

  std::filesystem::path folder_;
};

}  // namespace kbench
