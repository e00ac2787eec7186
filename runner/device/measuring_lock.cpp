#include "runner/device/measuring_lock.hpp"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"

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

std::string waiting_words(const LockRequest& request, Which which, const LockHolder& holder,
                          int place) {
  const std::string queue =
      place == 1 ? "" : fmt::format(", and for {} before this one", place - 1);
  if (which == Which::kDevice)
    return fmt::format("waiting for the device, held by {}{}; --no-wait fails instead of waiting",
                       words(holder), queue);
  if (request.turn_only)
    return fmt::format("waiting for a turn between two evaluations of {}{}", words(holder), queue);
  return fmt::format("waiting until a check ends, of {}{}", words(holder), queue);
}

using Tells = void (ProgressSink::*)(std::string_view);

void tell(const LockRequest& request, Tells tells, const std::string& words) {
  if (request.progress != nullptr) (request.progress->*tells)(words);
}

Result<DeviceLock> take_lock(const LockRequest& request, const fs::path& folder, Which which) {
  const LockHolder self{fmt::format("{}", ::getpid()), request.what, utc_now(), request.until};
  bool refused = false;
  auto lock = DeviceLock::take(
      folder, name_of(request, which), self,
      [&](const LockHolder& holder, int place) {
        refused = !request.wait;
        if (request.wait)
          tell(request, &ProgressSink::note, waiting_words(request, which, holder, place));
        return request.wait;
      },
      request.is_needless);
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

bool give_turn(const LockRequest& request, MeasuringLock& lock) {
  if (lock.is_needless || waiters(request) == 0) return false;
  tell(request, &ProgressSink::detail, "a check takes its turn");
  lock.turn_of_all_users = DeviceLock();
  lock.own_turn = DeviceLock();
  LockRequest again = request;
  again.wait = true;
  again.is_needless = {};
  if (auto taken = take_pair(again, Which::kTurn, lock.own_turn, lock.turn_of_all_users); !taken)
    tell(request, &ProgressSink::warn, taken.error().message);
  return true;
}

}  // namespace kbench
