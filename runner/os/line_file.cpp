#include "runner/os/line_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kbench {

Result<LineFile> LineFile::open(const std::optional<std::filesystem::path>& file) {
  LineFile lines;
  if (!file) return Result<LineFile>(std::move(lines));
  lines.file_ = *file;
  std::error_code ignored;
  const bool regular =
      !std::filesystem::exists(*file, ignored) || std::filesystem::is_regular_file(*file, ignored);
  lines.written_ =
      regular ? std::filesystem::path(fmt::format("{}.part-{}", file->string(), ::getpid()))
              : *file;
  lines.stream_.reset(std::fopen(lines.written_.c_str(), "wbe"));
  if (!lines.stream_) return lines.failed();
  return Result<LineFile>(std::move(lines));
}

LineFile::~LineFile() {
  if (stream_ && written_ != file_) ::unlink(written_.c_str());  // it never became whole
}

Status LineFile::write(const std::string& line) {
  std::FILE* const stream = stream_ ? stream_.get() : stdout;
  const bool done = std::fwrite(line.data(), 1, line.size(), stream) == line.size() &&
                    std::fputc('\n', stream) != EOF;
  return done ? Status(Done{}) : Status(failed());
}

Status LineFile::close() {
  if (!stream_) return Done{};
  if (std::fflush(stream_.get()) != 0) return failed();
  if (written_ != file_ && ::rename(written_.c_str(), file_.c_str()) != 0) return failed();
  stream_.reset();
  return Done{};
}

Error LineFile::failed() const {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be written: {}",
                      file_.empty() ? "standard output" : file_.string(), std::strerror(errno)),
          "choose another file, or make room for it"};
}

}  // namespace kbench
