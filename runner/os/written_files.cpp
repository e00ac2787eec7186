#include "runner/os/written_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/as_owner.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

constexpr int kShare = 50;

Folder open_folder(const fs::path& path) { return {::opendir(path.c_str()), ::closedir}; }

// Sizes of the files without a name that a process has open. All its threads have the same ones,
// and a thread that ended has none.
class NamelessFiles {
 public:
  explicit NamelessFiles(dev_t device) : device_(device) {}

  // Errors: kInfrastructure, where the process cannot be looked into.
  Status add(pid_t process, TreeSize& size) {
    const fs::path tasks = fs::path("/proc") / std::to_string(process) / "task";
    const Folder threads = open_folder(tasks);
    while (const dirent* thread = threads ? ::readdir(threads.get()) : nullptr) {
      if (thread->d_name[0] == '.') continue;
      const fs::path files = tasks / thread->d_name / "fd";
      int found = add_from(files, size);
      if (found < 0) {
        const AsOwner owner(tasks / thread->d_name);
        found = add_from(files, size);
      }
      if (found < 0)
        return Error{ErrorCode::kInfrastructure,
                     fmt::format("{} cannot be read: {}", files.string(), std::strerror(errno)),
                     "which files a session has open must be known; a container may lack "
                     "CAP_SYS_PTRACE"};
      if (found > 0) return Done{};
    }
    return Done{};
  }

 private:
  // How many descriptors there are; negative where we may not see them.
  int add_from(const fs::path& files, TreeSize& size) {
    const Folder folder = open_folder(files);
    if (!folder) return errno == EACCES || errno == EPERM ? -1 : 0;
    int found = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
      if (entry->d_name[0] == '.') continue;
      struct stat info {};
      if (::fstatat(::dirfd(folder.get()), entry->d_name, &info, 0) != 0) {
        if (errno == EACCES || errno == EPERM) return -1;
        continue;
      }
      ++found;
      const bool counts = S_ISREG(info.st_mode) && info.st_nlink == 0 && info.st_dev == device_;
      if (!counts || !seen_.insert(info.st_ino).second) continue;
      size.entries += 1;
      size.bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
    }
    return found;
  }

  dev_t device_;
  std::set<ino_t> seen_;
};

// Measures all that there is, until it is too much.
Result<TreeSize> measure(const fs::path& folder, std::span<const pid_t> processes) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0)
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} cannot be found: {}", folder.string(), std::strerror(errno)), ""};
  auto size = [&] {
    const AsOwner owner(folder);
    return measure_tree(folder, WrittenFiles::kMost);
  }();
  if (!size) return size;
  NamelessFiles nameless(info.st_dev);
  for (const pid_t process : processes)
    if (auto added = nameless.add(process, *size); !added) return added.error();
  return size;
}

std::string too_much(const TreeSize& size) {
  constexpr TreeSize kMost = WrittenFiles::kMost;
  constexpr double kGib = 1ull << 30;
  if (size.bytes > kMost.bytes)
    return fmt::format("wrote more than {:.0f} GiB to its folder",
                       static_cast<double>(kMost.bytes) / kGib);
  if (size.entries > kMost.entries)
    return fmt::format("made more than {} files in its folder", kMost.entries);
  return fmt::format("nested more than {} folders in its folder", kMost.depth);
}

}  // namespace

Result<std::string> WrittenFiles::look(std::span<const pid_t> processes,
                                       std::chrono::nanoseconds every) {
  if (Clock::now() < looked_ + std::max(every, kShare * took_)) return std::string();
  return look_now(processes);
}

Result<std::string> WrittenFiles::look_now(std::span<const pid_t> processes) {
  const auto start = Clock::now();
  const auto size = measure(folder_, processes);
  looked_ = Clock::now();
  took_ = looked_ - start;
  if (!size) return size.error();
  return size->exceeds(kMost) ? too_much(*size) : std::string();
}

}  // namespace kbench
