#include "runner/os/device_queue.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadableForAll = 0644;  // waiters behind it have to open it
constexpr int kTries = 100;

// The beginning of waiters' files: "kbench-GPU-1.wait-" of "kbench-GPU-1.wait-" of
// "kbench-GPU-1.lock".
std::string prefix_of(const fs::path& file) { return file.stem().string() + ".wait-"; }

using Arrival = std::tuple<std::int64_t, std::int64_t, ino_t>;

std::optional<Arrival> arrival_of(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return Arrival(facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec, facts.st_ino);
}

// Whether a process holds the file that is open; if none does, it is a dead one's.
bool is_held(int descriptor) {
  if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(descriptor, LOCK_UN);
  return false;
}

// The seconds that the waiter wrote into the file; it may be another user. Nothing where that is no
// number of seconds within a week.
std::optional<double> seconds_of(int descriptor) {
  constexpr double kLongest = 7.0 * 24 * 3600;
  std::array<char, 16> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  int seconds = 0;
  const char* end = text.data() + size;
  const auto read = std::from_chars(text.data(), end, seconds);
  const bool is_number = read.ec == std::errc() && read.ptr != end && *read.ptr == '\n';
  if (!is_number || seconds <= 0 || seconds > kLongest) return std::nullopt;
  return seconds;
}

void write_seconds(int descriptor, double seconds) {
  if (!(seconds > 0)) return;
  const std::string text = fmt::format("{:.0f}\n", std::ceil(seconds));
  // The seconds are only for people who wait: where they cannot be written, these are told less.
  if (::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

// Places of processes that are alive, but for `self`; only those before `arrival` where there is
// one.
Waiting waiting_before(const fs::path& folder, const std::string& prefix, const fs::path& self,
                       const std::optional<Arrival>& arrival) {
  Waiting all;
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
      ++all.count;
      const auto seconds = seconds_of(opened.get());
      all.seconds = seconds && all.seconds ? std::optional(*all.seconds + *seconds) : std::nullopt;
    }
  }
  return all;
}

}  // namespace

Result<QueuePlace> QueuePlace::take(const fs::path& file, double seconds) {
  for (int i = 0; i < kTries; ++i) {
    fs::path own = file.parent_path() / fmt::format("{}{}-{}", prefix_of(file), ::getpid(), i);
    const int made =
        ::open(own.c_str(), O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, kReadableForAll);
    if (made < 0 && errno == EEXIST) continue;  // an earlier process of that number left it
    if (made < 0) break;
    // A waiter that looks before it is locked takes it for a dead one's and removes the name.
    struct stat facts {};
    const bool locked = ::flock(made, LOCK_EX | LOCK_NB) == 0;
    if (locked && ::fstat(made, &facts) == 0 && facts.st_nlink == 1) {
      write_seconds(made, seconds);
      ::fchmod(made, kReadableForAll);  // open() lets the umask take bits away
      return QueuePlace(std::move(own), made);
    }
    ::close(made);
  }
  const int why = errno;
  return Error{ErrorCode::kInfrastructure,
               fmt::format("no place in the queue of {}: {}", file.string(), std::strerror(why)),
               std::string(write_hint(why))};
}

QueuePlace::~QueuePlace() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

Waiting QueuePlace::ahead() const {
  const fs::path folder = file_.parent_path();
  const std::string name = file_.filename().string();
  const std::string prefix = name.substr(0, name.rfind(".wait-")) + ".wait-";
  return waiting_before(folder, prefix, file_, arrival_of(descriptor_));
}

Waiting waiting_for(const fs::path& file) {
  return waiting_before(file.parent_path(), prefix_of(file), {}, std::nullopt);
}

}  // namespace kbench
