#include "runner/os/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/device_queue.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenTries{250};
constexpr std::chrono::seconds kLongestStall{10};
constexpr int kNamelessTries = 4;
constexpr std::size_t kLongestNote = 400;
constexpr mode_t kForAllUsers = 0666;

Error unusable(const fs::path& file, std::string_view doing) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{}: {} failed: {}", file.string(), doing, std::strerror(errno)),
          "Without a lock, see to it yourself that nothing else measures on this device."};
}

// A name of letters, digits and dashes: a GPU's UUID, or ours.
std::string file_name(const std::string& device) {
  std::string name = "kbench-";
  for (const char c : device) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name + ".lock";
}

// The holder that four lines name; other text there is no holder.
LockHolder read_holder(int descriptor) {
  std::array<char, kLongestNote> bytes{};
  const ssize_t size = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), static_cast<std::size_t>(size < 0 ? 0 : size));
  LockHolder holder;
  for (std::string* line : {&holder.pid, &holder.what, &holder.since, &holder.until}) {
    const std::size_t end = text.find('\n');
    *line = clean_name(text.substr(0, end), 100);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return holder;
}

void write_holder(int descriptor, const LockHolder& self) {
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}\n", self.pid, self.what, self.since, self.until);
  // The words are only for people who wait: where they cannot be written, these are told less.
  if (::ftruncate(descriptor, 0) != 0) return;
  if (::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

// Whether the file that was locked is still the one of that name: its holder before may have
// removed it meanwhile, and another process may hold the new one.
bool is_the_same(int descriptor, const fs::path& file) {
  struct stat locked {};
  struct stat named {};
  return ::fstat(descriptor, &locked) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

// A free lock that those who came before do not take: the first of them is stopped, say. Then
// no process waits for them any longer.
class StalledQueue {
 public:
  void has_moved() { is_free_ = false; }
  bool is_for_long() {
    const auto now = std::chrono::steady_clock::now();
    if (!is_free_) since_ = now;
    is_free_ = true;
    return now - since_ > kLongestStall;
  }

 private:
  bool is_free_ = false;
  std::chrono::steady_clock::time_point since_;
};

// A descriptor of its own for each try, closed unless it is the lock.
struct Descriptor {
  int value = -1;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

// Opens a file that all users share: the first one makes it, later ones write their names into it.
// O_CREAT is not used for a file that is there: for another user's file in a folder such as /tmp it
// is refused (fs.protected_regular). -1: errno says why.
int open_for_all(const fs::path& file) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  while (true) {
    const int found = ::open(file.c_str(), kFlags);
    if (found >= 0 || errno != ENOENT) return found;
    const int made = ::open(file.c_str(), kFlags | O_CREAT | O_EXCL, kForAllUsers);
    if (made >= 0) ::fchmod(made, kForAllUsers);  // open() lets the umask take bits away
    if (made >= 0 || errno != EEXIST) return made;
  }
}

// True for a regular file: a user may have put a pipe or a device in its place.
bool is_a_file(int descriptor) {
  struct stat facts {};
  return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

std::string words(const LockHolder& holder) {
  if (holder.pid.empty()) return "another process";
  const std::string until =
      holder.until.empty() ? "" : fmt::format(", probably until {}", holder.until);
  return fmt::format("process {} ({}, since {}{})", holder.pid, holder.what, holder.since, until);
}

LockHolder LockSeeker::as_holder() const {
  return {pid, what, utc_now(), seconds > 0 ? utc_in(seconds) : ""};
}

std::optional<double> DeviceWait::seconds_left() const {
  const auto until = parse_utc(holder.until);
  if (!until || !ahead_seconds) return std::nullopt;
  const std::chrono::duration<double> left = *until - std::chrono::system_clock::now();
  return left.count() > 0 ? std::optional(left.count() + *ahead_seconds) : std::nullopt;
}

Result<DeviceLock> DeviceLock::take(const fs::path& folder, const std::string& device,
                                    const LockSeeker& self,
                                    const std::function<bool(const DeviceWait&)>& waits_for,
                                    const std::function<bool()>& is_needless) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  const fs::path file = folder / file_name(device);
  std::optional<QueuePlace> place;
  std::optional<DeviceWait> told;
  StalledQueue stalled;
  int nameless = 0;
  while (true) {
    // The descriptor is not inherited by programs that are started meanwhile: they may outlive
    // their run.
    Descriptor opened{open_for_all(file)};
    if (opened.value < 0) return unusable(file, "opening it");
    if (!is_a_file(opened.value)) {
      errno = EINVAL;
      return unusable(file, "locking what is no file");
    }
    const Waiting ahead = place ? place->ahead() : waiting_for(file);
    if (::flock(opened.value, LOCK_EX | LOCK_NB) == 0) {
      if (!is_the_same(opened.value, file)) continue;
      if (ahead.count == 0 || stalled.is_for_long()) {
        write_holder(opened.value, self.as_holder());
        return DeviceLock(file, std::exchange(opened.value, -1));
      }
      ::flock(opened.value, LOCK_UN);  // those who came before may take it
    } else if (errno == EINTR) {
      continue;
    } else if (errno != EWOULDBLOCK) {
      return unusable(file, "locking it");
    } else {
      stalled.has_moved();
    }
    if (is_needless && !place)
      if (auto taken = QueuePlace::take(file, self.seconds)) place.emplace(std::move(*taken));
    if (is_needless && is_needless()) return DeviceLock();
    const DeviceWait wait{read_holder(opened.value), ahead.count + 1, ahead.seconds};
    // A holder that has just begun has written nothing yet.
    const bool just_begun = wait.holder.pid.empty() && ++nameless < kNamelessTries;
    if (!just_begun && told != wait) {
      told = wait;
      if (!waits_for(wait)) {
        return Error{ErrorCode::kInfrastructure,
                     fmt::format("another measurement has the device: {}", words(wait.holder)),
                     "Wait until it has ended; without --no-wait, kbench does."};
      }
    }
    if (!place) {
      // A process that cannot have a place waits all the same, behind those who have one.
      if (auto taken = QueuePlace::take(file, self.seconds)) place.emplace(std::move(*taken));
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

int DeviceLock::waiters(const fs::path& folder, const std::string& device) {
  return waiting_for(folder / file_name(device)).count;
}

void DeviceLock::tell(const LockSeeker& self) const {
  if (descriptor_ >= 0) write_holder(descriptor_, self.as_holder());
}

DeviceLock& DeviceLock::operator=(DeviceLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DeviceLock::~DeviceLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // it is still held: waiters find that the name is free
  ::close(descriptor_);
}

std::string cpu_lock_name() {
  std::string boot = read_file("/proc/sys/kernel/random/boot_id").value_or("");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  return boot.empty() ? "cpu" : "cpu-" + boot;
}

}  // namespace kbench
