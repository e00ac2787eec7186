// How much of a baseline's call on a GPU went by while the host launched its kernels. Pure.
#pragma once

#include "runner/oracle/protocol.hpp"

namespace kbench {

// Whether the host's speed shows in the call's time.
[[nodiscard]] inline bool launching_matters(const BaselineTime& timed) {
  return static_cast<double>(timed.launch_ns) > 0.1 * static_cast<double>(timed.ns);
}

}  // namespace kbench
