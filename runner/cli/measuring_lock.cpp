#include "runner/cli/measuring_lock.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "runner/cli/run_environment.hpp"

namespace kbench {
namespace {

// By its UUID, whatever number it has for this process.
std::string lock_name(const Target& target) {
  if (target.device != "cuda") return cpu_lock_name();
  const bool known = target.gpu && !target.gpu->uuid.empty();
  return known ? target.gpu->uuid : fmt::format("cuda-{}", target.device_index);
}

}  // namespace

Result<DeviceLock> take_measuring_lock(const LockRequest& request) {
  const LockHolder self{fmt::format("{}", ::getpid()), request.what, utc_now()};
  bool refused = false;
  auto lock = DeviceLock::take(
      request.folder, lock_name(*request.target), self, [&](const LockHolder& holder) {
        refused = !request.wait;
        if (request.wait)
          request.note(
              fmt::format("waiting for {}, which measures on the same device; --no-wait "
                          "would not",
                          words(holder)));
        return request.wait;
      });
  if (lock || refused) return lock;
  request.note(fmt::format("no lock is taken: {}", lock.error().message));
  return DeviceLock();
}

}  // namespace kbench
