#include "runner/os/foreign_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // unit of st_blocks

Error failed(const std::string& what) {
  return {ErrorCode::kInfrastructure, what + ": " + std::strerror(errno), ""};
}

// A folder whose entries can be reached, and for `rights` of W_OK removed, whatever its owner said
// of that. By the path of the descriptor, since a name may have become a link by the time it is
// used again.
UniqueFd open_inner(int inside, const char* name, int rights) {
  const UniqueFd place(::openat(inside, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.valid()) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(place.get());
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid() && ::faccessat(folder.get(), ".", rights | X_OK, AT_EACCESS) == 0)
    return folder;
  if (::chmod(path.c_str(), 0700) != 0) return {};
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// The folder's owner may have taken the rights to the folder itself away as well.
UniqueFd open_top(const std::filesystem::path& folder, int rights) {
  return open_inner(AT_FDCWD, folder.c_str(), rights);
}

using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;

Listing list(int folder) {
  const int own = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  DIR* listing = own < 0 ? nullptr : ::fdopendir(own);
  if (listing == nullptr && own >= 0) ::close(own);
  if (listing != nullptr) ::rewinddir(listing);
  return {listing, ::closedir};
}

// The next name that is neither "." nor ".."; null at the end.
const char* next_name(DIR* listing) {
  while (const dirent* entry = ::readdir(listing)) {
    const char* name = entry->d_name;
    if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) return name;
  }
  return nullptr;
}

// `most.depth` bounds the recursion, and the descriptors that it holds.
Status add_folder(int folder, std::uint64_t depth, const TreeSize& most, TreeSize& size) {
  size.depth = std::max(size.depth, depth);
  if (size.exceeds(most)) return Done{};
  const Listing listing = list(folder);
  if (!listing) return failed("a folder cannot be listed");
  while (const char* name = next_name(listing.get())) {
    struct stat info {};
    if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
    size.entries += 1;
    size.bytes += static_cast<std::uint64_t>(info.st_blocks) * kBlockBytes;
    if (size.exceeds(most)) return Done{};
    if (!S_ISDIR(info.st_mode)) continue;
    const UniqueFd inner = open_inner(folder, name, R_OK);
    if (!inner.valid()) {
      if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) continue;
      return failed("a folder cannot be opened");
    }
    if (auto added = add_folder(inner.get(), depth + 1, most, size); !added) return added;
  }
  return Done{};
}

std::vector<std::string> names_in(DIR* listing) {
  std::vector<std::string> names;
  while (const char* name = next_name(listing)) names.emplace_back(name);
  return names;
}

bool is_folder(int inside, const std::string& name) {
  struct stat info {};
  return ::fstatat(inside, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

// Removes one folder of `top`: its files with it, its folders into `top`, under a number each. So
// no path grows, and one level of descriptors is enough.
bool flatten(int top, const std::string& name, std::uint64_t& moved) {
  const UniqueFd inner = open_inner(top, name.c_str(), W_OK);
  const Listing listing = inner.valid() ? list(inner.get()) : Listing(nullptr, ::closedir);
  if (!listing) return false;
  for (const std::string& below : names_in(listing.get())) {
    if (!is_folder(inner.get(), below)) {
      if (::unlinkat(inner.get(), below.c_str(), 0) != 0) return false;
      continue;
    }
    // Moving a folder writes to its "..".
    if (!open_inner(inner.get(), below.c_str(), W_OK).valid()) return false;
    int result = 0;
    do {
      const std::string number = "moved-" + std::to_string(++moved);
      result = ::renameat2(inner.get(), below.c_str(), top, number.c_str(), RENAME_NOREPLACE);
    } while (result != 0 && errno == EEXIST);
    if (result != 0) return false;
  }
  return ::unlinkat(top, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

Result<TreeSize> measure_tree(const std::filesystem::path& folder, const TreeSize& most) {
  const UniqueFd top = open_top(folder, R_OK);
  if (!top.valid()) return failed(folder.string() + " cannot be looked at");
  TreeSize size;
  if (auto added = add_folder(top.get(), 0, most, size); !added) return added.error();
  return size;
}

Status empty_folder(const std::filesystem::path& folder) {
  const UniqueFd top = open_top(folder, W_OK);
  std::uint64_t moved = 0;
  while (top.valid()) {
    const Listing listing = list(top.get());
    if (!listing) break;
    const std::vector<std::string> names = names_in(listing.get());
    if (names.empty()) return Done{};
    for (const std::string& name : names) {
      const bool removed = is_folder(top.get(), name) ? flatten(top.get(), name, moved)
                                                      : ::unlinkat(top.get(), name.c_str(), 0) == 0;
      if (!removed) return failed(folder.string() + " cannot be emptied");
    }
  }
  return failed(folder.string() + " cannot be emptied");
}

}  // namespace kbench
