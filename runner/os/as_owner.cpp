#include "runner/os/as_owner.hpp"

#include <sys/fsuid.h>
#include <sys/stat.h>

namespace kbench {

AsOwner::AsOwner(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return;
  group_ = ::setfsgid(info.st_gid);
  user_ = ::setfsuid(info.st_uid);
}

AsOwner::~AsOwner() {
  if (user_ >= 0) ::setfsuid(static_cast<uid_t>(user_));
  if (group_ >= 0) ::setfsgid(static_cast<gid_t>(group_));
}

}  // namespace kbench
