// Root without CAP_SYS_PTRACE may not look into another user's process by /proc; that user may.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace kbench {

// Has this thread act on files as the owner of `file`, as long as the object lives.
class AsOwner {
 public:
  explicit AsOwner(const std::filesystem::path& file);
  ~AsOwner();
  AsOwner(const AsOwner&) = delete;
  AsOwner& operator=(const AsOwner&) = delete;

 private:
  int user_ = -1;
  int group_ = -1;
};

}  // namespace kbench
