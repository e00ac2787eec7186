#include "runner/oracle/given_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error failed(const fs::path& file, int error) {
  return {ErrorCode::kInfrastructure,
          "the oracle cannot keep " + file.string() + ": " + std::strerror(error),
          "it is kept in memory, or where temporary files are: free some"};
}

bool write_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t wrote = ::write(to, bytes, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
  return true;
}

// Copies by pread: other holders of the open file share its position.
Status copy(const UniqueFd& from, const fs::path& file) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const UniqueFd to(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!to.valid()) return failed(file, errno);
  std::array<char, 1 << 16> buffer;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(from.get(), buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(file, errno);
    if (got == 0) return Done{};
    if (!write_all(to.get(), buffer.data(), static_cast<std::size_t>(got)))
      return failed(file, errno);
    at += got;
  }
}

}  // namespace

Result<GivenFiles> keep_given_files(const fs::path& task_file, std::vector<UniqueFd> files) {
  if (files.empty() || files.size() > 2)
    return Error{ErrorCode::kInfrastructure, "an oracle needs a task's file, and its package", ""};
  GivenFiles given;
  given.task = task_file.parent_path().filename() / task_file.filename();
  if (auto copied = copy(files[0], given.task); !copied) return copied.error();
  if (files.size() == 1) return given;
  given.package = "package.pt2";
  if (auto copied = copy(files[1], given.package); !copied) return copied.error();
  return given;
}

}  // namespace kbench
