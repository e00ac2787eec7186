#include "runner/submission/staging.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The compilers' user is another one, and the umask may be any.
constexpr mode_t kReadableFolder = 0755;
constexpr mode_t kReadableFile = 0644;

bool make_readable_folder(const fs::path& folder) {
  return ::chmod(folder.c_str(), kReadableFolder) == 0;
}

}  // namespace

Result<Staging> Staging::make() {
  auto folder = ScratchFolder::make("kbench-compile");
  if (!folder) return folder.error();
  Staging staging(std::move(*folder));
  if (!make_readable_folder(staging.path()) ||
      ::mkdir(staging.out().c_str(), kReadableFolder) != 0 ||
      !make_readable_folder(staging.out())) {
    return Error{
        ErrorCode::kInfrastructure,
        "cannot prepare the folder " + staging.path().string() + ": " + std::strerror(errno),
        std::string(write_hint(errno))};
  }
  return staging;
}

Status Staging::add(const std::string& name, std::string_view bytes) const {
  const fs::path file = path() / name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  for (fs::path folder = file.parent_path(); folder != path(); folder = folder.parent_path())
    if (!make_readable_folder(folder)) break;
  if (auto written = write_new_file(file, bytes); !written) return written;
  ::chmod(file.c_str(), kReadableFile);
  return Done{};
}

}  // namespace kbench
