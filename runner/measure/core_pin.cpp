#include "runner/measure/core_pin.hpp"

#include <cstddef>
#include <vector>

#include "runner/core/usable_cores.hpp"

namespace kbench {

CorePin::CorePin() {
  const std::vector<int> cores = usable_cores();
  if (cores.empty() || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cores.front()), &one);
  pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

CorePin::~CorePin() {
  if (pinned_) (void)::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace kbench
