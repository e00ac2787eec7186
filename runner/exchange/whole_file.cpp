#include "runner/exchange/whole_file.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/random_id.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraft = ".draft-";

Error broken(std::string_view doing, const fs::path& file, int error) {
  const bool no_links = error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
  return {ErrorCode::kInfrastructure,
          fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(error)),
          no_links ? "An exchange needs a file system with link(2): `kbench exchange check` says "
                     "more."
                   : "The exchange must be there, and yours to write: `kbench exchange check`."};
}

// Errors: errno.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

// Removes its draft, whatever becomes of it.
class Draft {
 public:
  explicit Draft(const fs::path& file)
      : name_(file.parent_path() / (std::string(kDraft) + random_id())) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { ::unlink(name_.c_str()); }

  [[nodiscard]] Status write(std::string_view bytes) const {
    const UniqueFd fd(
        ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!fd.valid()) return broken("write", name_, errno);
    if (const int error = write_all(fd.get(), bytes)) return broken("write", name_, error);
    if (::fsync(fd.get()) != 0) return broken("write", name_, errno);
    return Done{};
  }
  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  fs::path name_;
};

// The new name is on the disk as well; a file system that cannot flush a folder loses no more than
// that name.
void flush_folder_of(const fs::path& file) {
  const UniqueFd fd(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

}  // namespace

Status make_shared_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return broken("make the folder", folder, failed.value());
  return Done{};
}

Status put_whole(const fs::path& file, std::string_view bytes) {
  if (Status made = make_shared_folder(file.parent_path()); !made) return made;
  const Draft draft(file);
  if (Status written = draft.write(bytes); !written) return written;
  if (::rename(draft.name(), file.c_str()) != 0) return broken("name", file, errno);
  flush_folder_of(file);
  return Done{};
}

Result<bool> put_first(const fs::path& file, std::string_view bytes) {
  if (Status made = make_shared_folder(file.parent_path()); !made) return made.error();
  const Draft draft(file);
  if (Status written = draft.write(bytes); !written) return written.error();
  if (::link(draft.name(), file.c_str()) != 0) {
    if (errno == EEXIST) return false;
    return broken("link", file, errno);
  }
  flush_folder_of(file);
  return true;
}

bool is_draft(const fs::path& file) { return file.filename().string().starts_with(kDraft); }

}  // namespace kbench
