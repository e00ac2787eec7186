// How much of a baseline's call on a GPU went by while the host launched its kernels. Pure.
#pragma once

#include "runner/oracle/protocol.hpp"

namespace kbench {

[[nodiscard]] inline bool launched_for(const BaselineTime& timed, double share) {
  return static_cast<double>(timed.launch_ns) > share * static_cast<double>(timed.ns);
}

// From where on the host's speed shows in the call's time.
[[nodiscard]] inline bool launching_matters(const BaselineTime& timed) {
  return launched_for(timed, 0.1);
}

// From where on the device had waited for the host: the call ended soon after its last launch.
[[nodiscard]] inline bool launch_bound(const BaselineTime& timed) {
  return launched_for(timed, 0.9);
}

}  // namespace kbench
