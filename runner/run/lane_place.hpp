// The place of a lane in its process: its cores, its device session, the installation with its
// LibTorch, and its target. Whatever a lane measures begins with it.
#pragma once

#include <optional>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/run/lane_order.hpp"

namespace kbench {

class LanePlace {
 public:
  // `around` outlives it.
  explicit LanePlace(const Installation& around) : around_(around) {}

  // Binds this process to the order's cores and finds all else; before the process has a second
  // thread. Errors: kInfrastructure for cores that it may not run on; those of with_libtorch().
  Status settle(const LaneOrder& order);

  // After settle().
  [[nodiscard]] DeviceSession& session() { return *session_; }
  [[nodiscard]] const Installation& installation() const { return installation_; }
  [[nodiscard]] const Target& target() const { return target_; }
  // The lock's request; this outlives it.
  [[nodiscard]] LockRequest lock_request(const LaneOrder& order, ProgressSink& progress) const;

 private:
  const Installation& around_;
  std::optional<DeviceSession> session_;
  Installation installation_;
  Target target_;
};

}  // namespace kbench
