#include "runner/submission/staging.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error broken(const std::string& what, const fs::path& path) {
  return {ErrorCode::kInfrastructure,
          "cannot " + what + " " + path.string() + ": " + std::strerror(errno),
          errno == ENOSPC ? "The disk is full." : ""};
}

Status write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return broken("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return Done{};
}

}  // namespace

Result<Staging> Staging::make() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string name = ((error ? fs::path("/tmp") : temporary) / "kbench-compile-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return broken("make the folder", name);
  Staging staging{fs::path(name)};
  if (::chmod(name.c_str(), 0755) != 0 || ::mkdir(staging.out().c_str(), 0755) != 0) {
    return broken("prepare the folder", name);
  }
  return staging;
}

Staging::Staging(Staging&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Staging::~Staging() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Status Staging::add(const std::string& name, std::string_view bytes) const {
  const fs::path file = path_ / name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) return broken("write", file);
  return write_all(fd.get(), bytes, file);
}

Result<std::string> read_foreign_file(const fs::path& file, std::size_t max_bytes) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kNotFound, "no regular file " + file.string(), ""};
  }
  if (info.st_size > static_cast<off_t>(max_bytes)) {
    return Error{ErrorCode::kBadInput, file.string() + " is too large", ""};
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return broken("read", file);
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

Status write_atomically(const fs::path& file, std::string_view bytes, int mode) {
  std::string temporary = file.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return broken("write", file);
  Status written = write_all(fd.get(), bytes, file);
  if (written && ::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) {
    written = broken("write", file);
  }
  fd.reset();
  if (written && ::rename(temporary.c_str(), file.c_str()) != 0) written = broken("write", file);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace kbench
