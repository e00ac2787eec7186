#include "runner/measure/core_pin.hpp"

#include <cstddef>

namespace kbench {

CorePin::CorePin() {
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  std::size_t core = 0;
  while (core < CPU_SETSIZE && !CPU_ISSET(core, &before_)) ++core;
  if (core == CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

CorePin::~CorePin() {
  if (pinned_) (void)::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace kbench
