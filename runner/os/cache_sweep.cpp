#include "runner/os/cache_sweep.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <system_error>
#include <vector>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStamp = ".swept";

struct CachedFile {
  fs::path path;
  std::uintmax_t bytes = 0;
  std::time_t used = 0;
};

// The time of its last use as far as the file system tells: reading counts once a day.
std::time_t last_use(const struct stat& facts) { return std::max(facts.st_atime, facts.st_mtime); }

std::vector<CachedFile> files_below(const fs::path& folder) {
  std::vector<CachedFile> files;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    struct stat facts {};
    if (::lstat(entry->path().c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    files.push_back(
        {entry->path(), static_cast<std::uintmax_t>(facts.st_blocks) * 512, last_use(facts)});
  }
  return files;
}

// Whether a process looked a short while ago; if not, this look is noted.
bool was_swept(const fs::path& folder, std::chrono::seconds between, std::time_t now) {
  if (between.count() == 0) return false;
  const fs::path stamp = folder / kStamp;
  struct stat facts {};
  if (::lstat(stamp.c_str(), &facts) == 0 && facts.st_mtime <= now &&
      now - facts.st_mtime < between.count())
    return true;
  const UniqueFd made(
      ::open(stamp.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (made.get() >= 0) ::futimens(made.get(), nullptr);
  return false;
}

}  // namespace

std::uintmax_t sweep_cache(const fs::path& folder, const CacheLimits& limits) {
  const std::time_t now = std::time(nullptr);
  if (was_swept(folder, limits.between, now)) return 0;
  std::vector<CachedFile> files = files_below(folder);
  std::uintmax_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  std::sort(files.begin(), files.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  const std::time_t spared = now - limits.spared.count();
  std::uintmax_t removed = 0;
  for (const CachedFile& file : files) {
    if (total - removed <= limits.bytes || file.used > spared) break;
    if (::unlink(file.path.c_str()) == 0) removed += file.bytes;
  }
  return removed;
}

}  // namespace kbench
