#include "runner/measure/players/session_folders.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/as_owner.hpp"
#include "runner/os/foreign_tree.hpp"
#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Mode of the folder: others may pass, and see nothing.
constexpr mode_t kUnlisted = 0711;

Error failed(const fs::path& folder, const std::string& what) {
  const int why = errno;
  return {
      ErrorCode::kInfrastructure,
      fmt::format("{}, which sessions write to, {}: {}", folder.string(), what, std::strerror(why)),
      std::string(write_hint(why))};
}

Result<std::string> random_name() {
  std::array<unsigned char, 12> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{ErrorCode::kInfrastructure, "the kernel gives no random bytes", ""};
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

}  // namespace

Result<SessionFolders> SessionFolders::make() {
  auto scratch = ScratchFolder::make("kbench-sessions");
  if (!scratch) return scratch.error();
  SessionFolders folders;
  folders.scratch_ = std::move(*scratch);
  // Apart, so that the outer one is ours all the time, and what a killed run leaves can be removed.
  folders.above_ = folders.scratch_.path() / "in";
  for (const fs::path& folder : {folders.scratch_.path(), folders.above_}) {
    if (folder == folders.above_ && ::mkdir(folder.c_str(), kUnlisted) != 0)
      return failed(folder, "cannot be made");
    if (::chmod(folder.c_str(), kUnlisted) != 0) return failed(folder, "cannot be shown");
  }
  return folders;
}

Status SessionFolders::take_back() {
  const UniqueFd folder(::open(above_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0)
    return failed(above_, "cannot be opened");
  user_ = info.st_uid;
  if (user_ != ::geteuid() && ::fchown(folder.get(), ::geteuid(), ::getegid()) != 0)
    return failed(above_, "cannot be taken back");
  return Done{};
}

Result<fs::path> SessionFolders::make_next() {
  if (auto removed = remove(); !removed) return removed.error();
  const auto name = random_name();
  if (!name) return name.error();
  const fs::path made = above_ / *name;
  if (::mkdir(made.c_str(), 0700) != 0) return failed(made, "cannot be made");
  current_ = made;
  if (user_ != ::geteuid() && ::chown(made.c_str(), user_, user_) != 0)
    return failed(made, "cannot be handed over");
  return made;
}

Status SessionFolders::remove() {
  if (current_.empty()) return Done{};
  {
    // Files that the session's user may not remove were not made by it.
    const AsOwner owner(current_);
    if (::chmod(current_.c_str(), 0700) != 0) return failed(current_, "cannot be opened");
    if (auto emptied = empty_folder(current_); !emptied) return emptied;
  }
  if (::rmdir(current_.c_str()) != 0) return failed(current_, "cannot be removed");
  current_.clear();
  return Done{};
}

}  // namespace kbench
