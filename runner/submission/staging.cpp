#include "runner/submission/staging.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace kbench {

namespace fs = std::filesystem;

Result<Staging> Staging::make() {
  auto folder = ScratchFolder::make("kbench-compile");
  if (!folder) return folder.error();
  Staging staging(std::move(*folder));
  if (::chmod(staging.path().c_str(), 0755) != 0 || ::mkdir(staging.out().c_str(), 0755) != 0) {
    return Error{
        ErrorCode::kInfrastructure,
        "cannot prepare the folder " + staging.path().string() + ": " + std::strerror(errno),
        errno == ENOSPC ? "The disk is full." : ""};
  }
  return staging;
}

Status Staging::add(const std::string& name, std::string_view bytes) const {
  const fs::path file = path() / name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  return write_new_file(file, bytes);
}

}  // namespace kbench
