// Share of a time in which some program of the machine, of ours or not, waited for a core, as the
// kernel counts (pressure stall information): what rows keep of each block, for a profile's calls
// and for empty calls.
#pragma once

#include "runner/measure/watch/surroundings.hpp"

namespace kbench {

class PressureShare {
 public:
  // Begins to measure. The surroundings outlive it.
  explicit PressureShare(const Surroundings& surroundings);

  // Share of the time until now: 0 to 1; 0 where the kernel does not say.
  [[nodiscard]] double until_now() const;

 private:
  const Surroundings& surroundings_;
  std::int64_t begun_ns_;
  Pressure before_;
};

}  // namespace kbench
