#include "runner/device/measuring_lock.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

namespace fs = std::filesystem;

enum class Which { kDevice, kTurn };

struct Folders {
  std::optional<fs::path> own;
  std::optional<fs::path> of_all_users;  // empty: the same folder
};

Folders folders_of(const Installation& installation) {
  Folders folders{{}, installation.locks};
  if (installation.state.empty()) return folders;
  folders.own = installation.state / "locks";
  std::error_code ignored;
  if (fs::equivalent(*folders.own, installation.locks, ignored)) folders.of_all_users.reset();
  return folders;
}

std::string name_of(const LockRequest& request, Which which) {
  const std::string device = device_lock_name(*request.target);
  return which == Which::kDevice ? device : device + "-turn";
}

// Words on the time, such as "; about 12 minutes".
std::string time_words(const DeviceWait& wait) {
  const auto seconds = wait.seconds_left();
  if (!seconds) return "";
  if (*seconds < 60) return "; less than a minute";
  const auto minutes = static_cast<int>(std::lround(*seconds / 60));
  if (minutes < 120) return fmt::format("; about {} minute{}", minutes, minutes == 1 ? "" : "s");
  return fmt::format("; about {} hours", std::lround(*seconds / 3600));
}

std::string waiting_words(const LockRequest& request, Which which, const DeviceWait& wait) {
  const std::string queue =
      wait.place == 1 ? "" : fmt::format(", and for {} before this one", wait.place - 1);
  const std::string whom = words(wait.holder) + queue + time_words(wait);
  if (which == Which::kDevice)
    return fmt::format("waiting for the device, held by {}; --no-wait fails instead of waiting",
                       whom);
  if (request.turn_only)
    return fmt::format("waiting for a turn between two evaluations of {}", whom);
  return fmt::format("waiting until a check ends, of {}", whom);
}

LockSeeker seeker(const LockRequest& request, double seconds) {
  return {fmt::format("{}", ::getpid()), request.what, seconds};
}

using Tells = void (ProgressSink::*)(std::string_view);

void tell(const LockRequest& request, Tells tells, const std::string& words) {
  if (request.progress != nullptr) (request.progress->*tells)(words);
}

Result<DeviceLock> take_lock(const LockRequest& request, const fs::path& folder, Which which) {
  // A run that holds the device has a turn for one evaluation, whose length it says later.
  const bool is_for_all = which == Which::kDevice || request.turn_only;
  const LockSeeker self = seeker(request, is_for_all ? request.seconds : 0);
  bool refused = false;
  bool waited = false;
  auto lock = DeviceLock::take(
      folder, name_of(request, which), self,
      [&](const DeviceWait& wait) {
        refused = !request.wait;
        if (refused) return false;
        waited = true;
        tell(request, &ProgressSink::note, waiting_words(request, which, wait));
        if (request.waits) request.waits(wait);
        return true;
      },
      request.is_needless);
  if (waited && request.waits) request.waits(std::nullopt);
  if (lock || refused) return lock;
  tell(request, &ProgressSink::warn,
       fmt::format("other runs may measure beside this one: no lock is taken: {}",
                   lock.error().message));
  return DeviceLock();
}

bool is_needless(const LockRequest& request) {
  return request.is_needless && request.is_needless();
}

// One after the other, so that among users each has one place. False where they are needless.
Result<bool> take_pair(const LockRequest& request, Which which, DeviceLock& own,
                       DeviceLock& of_all_users) {
  const Folders folders = folders_of(*request.installation);
  const auto take = [&](const std::optional<fs::path>& folder, DeviceLock& lock) -> Result<bool> {
    if (!folder) return true;
    auto taken = take_lock(request, *folder, which);
    if (!taken) return taken.error();
    lock = std::move(*taken);
    return lock.is_held() || !is_needless(request);
  };
  auto taken = take(folders.own, own);
  return taken && *taken ? take(folders.of_all_users, of_all_users) : taken;
}

int waiters(const LockRequest& request) {
  const Folders folders = folders_of(*request.installation);
  const std::string name = name_of(request, Which::kTurn);
  int count = 0;
  for (const auto& folder : {folders.own, folders.of_all_users})
    if (folder) count += DeviceLock::waiters(*folder, name);
  return count;
}

}  // namespace

std::string device_lock_name(const Target& target) {
  if (target.device != "cuda") return cpu_lock_name();
  const bool known = target.gpu && !target.gpu->uuid.empty();
  return known ? target.gpu->uuid : fmt::format("cuda-{}", target.device_index);
}

Result<MeasuringLock> take_measuring_lock(const LockRequest& request) {
  MeasuringLock lock;
  Result<bool> taken = true;
  if (!request.turn_only) taken = take_pair(request, Which::kDevice, lock.own, lock.of_all_users);
  if (taken && *taken)
    taken = take_pair(request, Which::kTurn, lock.own_turn, lock.turn_of_all_users);
  if (!taken) return taken.error();
  if (*taken) return lock;
  MeasuringLock none;
  none.is_needless = true;
  return none;
}

bool give_turn(const LockRequest& request, MeasuringLock& lock, double next_seconds) {
  const auto tell_length = [&] {
    const LockSeeker self = seeker(request, next_seconds);
    lock.own_turn.tell(self);
    lock.turn_of_all_users.tell(self);
  };
  if (lock.is_needless) return false;
  if (waiters(request) == 0) {
    tell_length();
    return false;
  }
  tell(request, &ProgressSink::detail, "a check takes its turn");
  lock.turn_of_all_users = DeviceLock();
  lock.own_turn = DeviceLock();
  LockRequest again = request;
  again.wait = true;
  again.is_needless = {};
  if (auto taken = take_pair(again, Which::kTurn, lock.own_turn, lock.turn_of_all_users); !taken)
    tell(request, &ProgressSink::warn, taken.error().message);
  tell_length();
  return true;
}

}  // namespace kbench
