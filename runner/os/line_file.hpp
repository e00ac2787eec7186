// A file of lines that are written as they come, because there may be more of them than memory.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

// A file of lines: standard output, or a neighbour of the file, which becomes the file once it is
// whole, and is gone if it never does. A terminal, a pipe or /dev/null is written to as it is.
class LineFile {
 public:
  // Nothing: standard output. Errors: kInfrastructure, as of write and close.
  [[nodiscard]] static Result<LineFile> open(const std::optional<std::filesystem::path>& file);
  LineFile(LineFile&&) = default;
  LineFile& operator=(LineFile&&) = delete;
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  // Writes the text with a line break behind it.
  Status write(const std::string& line);
  // Whether standard output took everything is for its flush to say.
  Status close();

 private:
  struct CloseStream {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };

  LineFile() = default;
  [[nodiscard]] Error failed() const;

  std::filesystem::path file_;     // empty: standard output
  std::filesystem::path written_;  // the open one
  std::unique_ptr<std::FILE, CloseStream> stream_;
};

}  // namespace kbench
