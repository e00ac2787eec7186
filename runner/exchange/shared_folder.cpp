#include "runner/exchange/shared_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Deeper than anything that kbench puts there.
constexpr int kDeepest = 64;

Error failed_to(std::string_view doing, const fs::path& what, int error) {
  return {ErrorCode::kInfrastructure,
          fmt::format("cannot {} {}: {}", doing, what.string(), std::strerror(error)),
          "The exchange must be there, and yours to write: `kbench exchange check`."};
}

Error no_folder(const fs::path& where) {
  return {ErrorCode::kNotFound, fmt::format("no folder {}", where.string()),
          "name the folder of the pool with --exchange, or make it: mkdir " + where.string()};
}

// The sentence for a step that is no folder.
Error in_the_way(int folder, const std::string& name, const fs::path& what) {
  struct stat facts {};
  const bool is_link =
      ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
  return {ErrorCode::kBadInput,
          fmt::format("{} is {}, where the exchange has a folder", what.string(),
                      is_link ? "a link" : "no folder"),
          "kbench follows no link in an exchange: it could lead anywhere. Find out who writes "
          "here, then `kbench exchange prune`."};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// The names in an open folder; that descriptor is used up.
std::vector<std::string> names_in(UniqueFd fd) {
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(fd.get()));
  if (!folder) return {};
  (void)fd.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<SharedEntry> entries_in(const UniqueFd& folder) {
  std::vector<SharedEntry> entries;
  // A descriptor of its own, as reading a folder moves along in it.
  for (std::string& name : names_in(UniqueFd(::openat(folder.get(), ".", kFolder)))) {
    SharedEntry entry{.name = std::move(name)};
    if (::fstatat(folder.get(), entry.name.c_str(), &entry.facts, AT_SYMLINK_NOFOLLOW) == 0)
      entries.push_back(std::move(entry));
  }
  return entries;
}

void look(const UniqueFd& above, const std::string& name, int depth,
          const std::function<void(const SharedEntry& entry)>& told) {
  const UniqueFd folder(::openat(above.get(), name.c_str(), kFolder));
  if (!folder.valid() || depth > kDeepest) return;
  for (const SharedEntry& entry : entries_in(folder)) {
    told(entry);
    if (entry.is_folder()) look(folder, entry.name, depth + 1, told);
  }
}

// Returns errno.
int remove_in(int above, const std::string& name, int depth) {
  if (::unlinkat(above, name.c_str(), 0) == 0 || errno == ENOENT) return 0;
  const int refused = errno;  // EISDIR, or EPERM by POSIX
  const UniqueFd folder(::openat(above, name.c_str(), kFolder));
  if (!folder.valid()) return refused;
  if (depth > kDeepest) return ELOOP;
  for (const SharedEntry& entry : entries_in(folder))
    if (const int error = remove_in(folder.get(), entry.name, depth + 1)) return error;
  if (::unlinkat(above, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return errno;
  return 0;
}

// Nothing where the file ends early or cannot be read: errno is set then.
std::optional<std::string> read_whole(const UniqueFd& fd, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t at = 0;
  while (at < size) {
    const ssize_t got = ::read(fd.get(), bytes.data() + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return std::nullopt;
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

SharedFolder SharedFolder::operator/(const std::string& name) const {
  SharedFolder below = *this;
  below.steps_.push_back(name);
  return below;
}

fs::path SharedFolder::path() const {
  fs::path path = exchange_;
  for (const std::string& step : steps_) path /= step;
  return path;
}

bool is_one_step(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

Result<UniqueFd> SharedFolder::open() const { return walk(false); }
Result<UniqueFd> SharedFolder::make() const { return walk(true); }

Result<UniqueFd> SharedFolder::walk(bool make) const {
  std::error_code failed;
  if (make) fs::create_directories(exchange_, failed);
  UniqueFd folder(::open(exchange_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  fs::path way = exchange_;
  if (!folder.valid() && errno == ENOENT && !make) return no_folder(way);
  if (!folder.valid()) return failed_to("open", way, errno);
  for (const std::string& step : steps_) {
    way /= step;
    if (!is_one_step(step))
      return Error{ErrorCode::kBadInput, fmt::format("{} is no place in an exchange", way.string()),
                   "this is a fault of kbench: the name is not one that you gave"};
    if (make && ::mkdirat(folder.get(), step.c_str(), 0777) != 0 && errno != EEXIST)
      return failed_to("make the folder", way, errno);
    UniqueFd next(::openat(folder.get(), step.c_str(), kFolder));
    if (next.valid()) {
      folder = std::move(next);
      continue;
    }
    if (errno == ENOTDIR || errno == ELOOP) return in_the_way(folder.get(), step, way);
    if (errno == ENOENT && !make) return no_folder(way);
    return failed_to("open", way, errno);
  }
  return folder;
}

std::optional<SharedEntry> entry_of(const SharedFolder& folder, const std::string& name) {
  const auto opened = folder.open();
  SharedEntry entry{.name = name};
  if (!opened || !is_one_step(name) ||
      ::fstatat(opened->get(), name.c_str(), &entry.facts, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return entry;
}

std::vector<SharedEntry> entries_of(const SharedFolder& folder) {
  const auto fd = folder.open();
  return fd ? entries_in(*fd) : std::vector<SharedEntry>();
}

void look_below(const SharedFolder& folder, const std::string& name,
                const std::function<void(const SharedEntry& entry)>& look_at) {
  if (const auto fd = folder.open()) look(*fd, name, 0, look_at);
}

Result<std::string> read_shared_file(const SharedFolder& folder, const std::string& name,
                                     std::size_t max_bytes) {
  const auto place = folder.open();
  if (!place) return place.error();
  const fs::path file = folder.path() / name;
  const UniqueFd fd(
      ::openat(place->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT)
    return Error{ErrorCode::kNotFound, fmt::format("{}: no such file", file.string()), ""};
  if (!fd.valid() && errno != ELOOP && errno != ENXIO) return failed_to("read", file, errno);
  struct stat facts {};
  if (!fd.valid() || ::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return Error{ErrorCode::kBadInput,
                 fmt::format("{} is {}", file.string(), fd.valid() ? "no regular file" : "a link"),
                 "kbench does not read it. Find out who writes here, and remove it."};
  if (facts.st_size > static_cast<off_t>(max_bytes))
    return Error{ErrorCode::kBadInput,
                 fmt::format("{} is too large: it has {} bytes, and {} are allowed", file.string(),
                             facts.st_size, max_bytes),
                 "Find out who writes here, then `kbench exchange prune`."};
  auto bytes = read_whole(fd, static_cast<std::size_t>(facts.st_size));
  if (!bytes) return failed_to("read", file, errno);
  return std::move(*bytes);
}

Status remove_shared(const SharedFolder& folder, const std::string& name) {
  const auto place = folder.open();
  if (!place) return place.error();
  if (const int error = remove_in(place->get(), name, 0))
    return failed_to("remove", folder.path() / name, error);
  return Done{};
}

}  // namespace kbench
