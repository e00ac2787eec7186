#include "runner/os/device_queue.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadableForAll = 0644;  // whoever waits behind it has to open it
constexpr int kTries = 100;

// "kbench-GPU-1.wait-" of "kbench-GPU-1.lock".
std::string prefix_of(const fs::path& file) { return file.stem().string() + ".wait-"; }

using Arrival = std::tuple<std::int64_t, std::int64_t, ino_t>;

std::optional<Arrival> arrival_of(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return Arrival(facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec, facts.st_ino);
}

// Whether somebody holds the file that is open; if nobody does, it is a dead one's.
bool is_held(int descriptor) {
  if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(descriptor, LOCK_UN);
  return false;
}

// Those that are alive, but `self`, before `arrival` where there is one.
int count_before(const fs::path& folder, const std::string& prefix, const fs::path& self,
                 const std::optional<Arrival>& arrival) {
  int count = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const fs::path& file = entry.path();
    if (!file.filename().string().starts_with(prefix) || file == self) continue;
    const UniqueFd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (opened.get() < 0) continue;
    const auto its = arrival_of(opened.get());
    if (!its) continue;
    if (!is_held(opened.get())) {
      ::unlink(file.c_str());
    } else if (!arrival || *its < *arrival) {
      ++count;
    }
  }
  return count;
}

}  // namespace

Result<QueuePlace> QueuePlace::take(const fs::path& file) {
  for (int i = 0; i < kTries; ++i) {
    fs::path own = file.parent_path() / fmt::format("{}{}-{}", prefix_of(file), ::getpid(), i);
    const int made =
        ::open(own.c_str(), O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, kReadableForAll);
    if (made < 0 && errno == EEXIST) continue;  // of an earlier process of that number
    if (made < 0) break;
    // A waiter that looks before it is locked takes it for a dead one's and removes the name.
    struct stat facts {};
    const bool locked = ::flock(made, LOCK_EX | LOCK_NB) == 0;
    if (locked && ::fstat(made, &facts) == 0 && facts.st_nlink == 1) {
      ::fchmod(made, kReadableForAll);  // whatever the umask is
      return QueuePlace(std::move(own), made);
    }
    ::close(made);
  }
  return Error{ErrorCode::kInfrastructure,
               fmt::format("no place in the queue of {}: {}", file.string(), std::strerror(errno)),
               ""};
}

QueuePlace::~QueuePlace() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

int QueuePlace::ahead() const {
  const fs::path folder = file_.parent_path();
  const std::string name = file_.filename().string();
  const std::string prefix = name.substr(0, name.rfind(".wait-")) + ".wait-";
  return count_before(folder, prefix, file_, arrival_of(descriptor_));
}

int waiting_for(const fs::path& file) {
  return count_before(file.parent_path(), prefix_of(file), {}, std::nullopt);
}

}  // namespace kbench
