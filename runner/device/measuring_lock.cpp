#include "runner/device/measuring_lock.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"

namespace kbench {
namespace {

Result<DeviceLock> take_lock(const LockRequest& request, const std::filesystem::path& folder) {
  const LockHolder self{fmt::format("{}", ::getpid()), request.what, utc_now()};
  bool refused = false;
  auto lock = DeviceLock::take(
      folder, device_lock_name(*request.target), self, [&](const LockHolder& holder, int place) {
        refused = !request.wait;
        if (request.wait)
          request.progress->note(fmt::format(
              "waiting for the device, held by {}{}; --no-wait fails instead of waiting",
              words(holder),
              place == 1 ? "" : fmt::format(", and for {} before this one", place - 1)));
        return request.wait;
      });
  if (lock || refused) return lock;
  request.progress->warn(fmt::format("other runs may measure beside this one: no lock is taken: {}",
                                     lock.error().message));
  return DeviceLock();
}

}  // namespace

std::string device_lock_name(const Target& target) {
  if (target.device != "cuda") return cpu_lock_name();
  const bool known = target.gpu && !target.gpu->uuid.empty();
  return known ? target.gpu->uuid : fmt::format("cuda-{}", target.device_index);
}

Result<MeasuringLock> take_measuring_lock(const LockRequest& request) {
  namespace fs = std::filesystem;
  MeasuringLock locks;
  const Installation& installation = *request.installation;
  if (!installation.state.empty()) {
    const fs::path folder = installation.state / "locks";
    auto own = take_lock(request, folder);
    if (!own) return own.error();
    locks.own = std::move(*own);
    std::error_code ignored;
    if (fs::equivalent(folder, installation.locks, ignored)) return locks;
  }
  auto of_all_users = take_lock(request, installation.locks);
  if (!of_all_users) return of_all_users.error();
  locks.of_all_users = std::move(*of_all_users);
  return locks;
}

}  // namespace kbench
