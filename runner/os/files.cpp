#include "runner/os/files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "runner/core/unique_fd.hpp"
#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error broken(const std::string& what, const fs::path& path) {
  const int why = errno;
  return {ErrorCode::kInfrastructure,
          "cannot " + what + " " + path.string() + ": " + std::strerror(why),
          std::string(write_hint(why))};
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

constexpr int kMostAttempts = 8;
constexpr std::size_t kMostRemoved = 16;  // number at once: the maker of a folder waits for it
constexpr std::size_t kSuffix = 6;        // letters that mkdtemp() adds

// Locks a folder as long as the descriptor is open; none where somebody else holds it, or it is not
// ours.
UniqueFd lock_folder(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) return {};
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return fd;
}

void remove_abandoned(const fs::path& temporary, const std::string& prefix) {
  std::error_code error;
  std::size_t removed = 0;
  for (fs::directory_iterator entry(temporary, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.size() != prefix.size() + kSuffix || !name.starts_with(prefix)) continue;
    const UniqueFd lock = lock_folder(entry->path());
    if (!lock.valid()) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
    if (++removed == kMostRemoved) return;
  }
}

}  // namespace

std::optional<std::string> read_file(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  std::string text;
  std::array<char, 1u << 14> part;
  for (;;) {
    const ssize_t got = ::read(fd.get(), part.data(), part.size());
    if (got == 0) return text;
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return std::nullopt;
  }
}

Status write_new_file(const fs::path& file, std::string_view bytes) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) return broken("write", file);
  Status written = write_all(fd.get(), bytes, file);
  if (!written) ::unlink(file.c_str());  // half a file would look like a whole one
  return written;
}

Result<std::string> read_foreign_file(const fs::path& file, std::size_t max_bytes) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kNotFound, "no regular file " + file.string(), ""};
  }
  if (info.st_size > static_cast<off_t>(max_bytes)) {
    return Error{ErrorCode::kBadInput,
                 file.string() + " is too large: it has " + std::to_string(info.st_size) +
                     " bytes, and " + std::to_string(max_bytes) + " are allowed",
                 "make it smaller"};
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0)
      return Error{ErrorCode::kBadInput,
                   file.string() + " ended after " + std::to_string(at) + " of its " +
                       std::to_string(bytes.size()) + " bytes",
                   "if something writes to it, try again after that"};
    if (got < 0) return broken("read", file);
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

Result<ScratchFolder> ScratchFolder::make(const std::string& name) {
  std::error_code error;
  const fs::path found = fs::temp_directory_path(error);
  const fs::path temporary = error ? fs::path("/tmp") : found;
  remove_abandoned(temporary, name + ".");
  // Between the folder's making and its locking another process may take it for an abandoned one.
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    ScratchFolder folder;
    std::string path = (temporary / (name + ".XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) return broken("make the folder", path);
    folder.lock_ = lock_folder(path);
    // On a file system without locks nobody takes the folder for abandoned, either.
    const bool taken = !folder.lock_.valid() && errno == EWOULDBLOCK;
    if (taken || !fs::exists(path, error)) continue;
    folder.path_ = path;
    return folder;
  }
  return broken("lock a folder in", temporary);
}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(path_, other.path_);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace kbench
