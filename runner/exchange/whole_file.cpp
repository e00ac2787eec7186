#include "runner/exchange/whole_file.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

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

// A file under a name of its own in an open folder. Removes its draft, whatever becomes of it.
class Draft {
 public:
  explicit Draft(const UniqueFd& folder)
      : folder_(folder.get()), name_(std::string(kDraft) + random_id()) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { ::unlinkat(folder_, name_.c_str(), 0); }

  // Returns errno.
  [[nodiscard]] int write(std::string_view bytes) const {
    const UniqueFd fd(::openat(folder_, name_.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!fd.valid()) return errno;
    if (const int error = write_all(fd.get(), bytes)) return error;
    return ::fsync(fd.get()) == 0 ? 0 : errno;
  }
  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  int folder_;
  std::string name_;
};

}  // namespace

// The new name is flushed to the disk as well; a file system that cannot flush a folder loses no
// more than that name.
Status put_whole(const SharedFolder& folder, const std::string& name, std::string_view bytes) {
  const auto place = folder.make();
  if (!place) return place.error();
  const fs::path file = folder.path() / name;
  const Draft draft(*place);
  if (const int error = draft.write(bytes)) return broken("write", file, error);
  if (::renameat(place->get(), draft.name(), place->get(), name.c_str()) != 0)
    return broken("name", file, errno);
  ::fsync(place->get());
  return Done{};
}

Result<bool> put_first(const SharedFolder& folder, const std::string& name,
                       std::string_view bytes) {
  const auto place = folder.make();
  if (!place) return place.error();
  const fs::path file = folder.path() / name;
  const Draft draft(*place);
  if (const int error = draft.write(bytes)) return broken("write", file, error);
  if (::linkat(place->get(), draft.name(), place->get(), name.c_str(), 0) != 0) {
    if (errno == EEXIST) return false;
    return broken("link", file, errno);
  }
  ::fsync(place->get());
  return true;
}

bool is_draft(const fs::path& file) { return file.filename().string().starts_with(kDraft); }

}  // namespace kbench
