#include "runner/run/lane_place.hpp"

#include <sched.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace kbench {
namespace {

// Binds this process, and all that it starts, to the cores.
Status stay_on(const std::vector<int>& cores) {
  if (cores.empty()) return Done{};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return Done{};
  return Error{ErrorCode::kInfrastructure, "a lane may not run on the cores that it is to have",
               "the set of cores of this process changed: start the run again"};
}

}  // namespace

Status LanePlace::settle(const LaneOrder& order) {
  if (auto stays = stay_on(order.cores); !stays) return stays;
  session_.emplace(around_, SessionTurns::kOne);
  session_->prepare();
  auto complete = session_->with_libtorch();
  if (!complete) return complete.error();
  installation_ = std::move(*complete);
  if (auto made = create_cache(installation_); !made) return made.error();
  target_ = {.device = order.gpu ? "cuda" : "cpu",
             .device_index = 0,
             .gpu = order.gpu,
             .cores = order.gpu ? order.cores : std::vector<int>(),
             .size = order.size};
  return Done{};
}

LockRequest LanePlace::lock_request(const LaneOrder& order, ProgressSink& progress) const {
  return {.installation = &installation_,
          .target = &target_,
          .what = order.what,
          .wait = order.waits,
          .turn_only = order.request.checks_only,
          .seconds = order.seconds,
          .progress = &progress};
}

}  // namespace kbench
