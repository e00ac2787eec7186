#include "runner/store/file/new_database.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "runner/store/file/database_path.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error taken(const fs::path& file) {
  return {ErrorCode::kUsage, fmt::format("{}: exists already", file.string()),
          "Nothing is overwritten: choose another name, or remove it yourself."};
}

Error failed_to(std::string_view what, const fs::path& file) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{}: {} failed: {}", file.string(), what, std::strerror(errno)),
          "Check that its folder exists, that you may write there, and that there is room."};
}

bool exists(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

// Brings a file to the disk, or a folder with the names in it.
bool sync(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

}  // namespace

Result<NewDatabase> NewDatabase::at(const fs::path& file) {
  if (const Status usable = check_database_path(file); !usable) return usable.error();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (exists(file.string() + suffix)) return taken(file.string() + suffix);
  const fs::path draft = fmt::format("{}.{}.partial", file.string(), ::getpid());
  const int descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed_to("making it", file);
  ::close(descriptor);
  return NewDatabase(file, draft);
}

Status NewDatabase::take_place() {
  if (!sync(draft_, O_RDONLY)) return failed_to("writing it", file_);
  // Unlike a rename, this fails where there is a file of that name by now.
  if (::link(draft_.c_str(), file_.c_str()) != 0) {
    if (errno == EEXIST) return taken(file_);
    // A file system without hard links.
    if (::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, file_.c_str(), RENAME_NOREPLACE) != 0)
      return errno == EEXIST ? taken(file_) : failed_to("naming it", file_);
  }
  const fs::path folder = fs::absolute(file_).parent_path();
  (void)sync(folder, O_RDONLY | O_DIRECTORY);  // some file systems cannot
  return Done{};
}

NewDatabase::~NewDatabase() {
  if (draft_.empty()) return;
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    fs::remove(draft_.string() + suffix, ignored);
}

}  // namespace kbench
