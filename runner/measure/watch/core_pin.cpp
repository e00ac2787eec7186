#include "runner/measure/watch/core_pin.hpp"

#include <cstddef>
#include <vector>

#include "runner/core/usable_cores.hpp"

namespace kbench {

CorePin::CorePin() {
  const std::vector<int> cores = usable_cores();
  if (!cores.empty()) pin(cores.front());
}

CorePin::CorePin(int core) { pin(core); }

void CorePin::pin(int core) {
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  pinned_ = bind_to_cores(0, {&core, 1});
}

CorePin::~CorePin() {
  if (pinned_) (void)::sched_setaffinity(0, sizeof before_, &before_);
}

CoreAvoidance::CoreAvoidance() : known_(::sched_getaffinity(0, sizeof before_, &before_) == 0) {}

CoreAvoidance::~CoreAvoidance() {
  if (moved_) (void)::sched_setaffinity(0, sizeof before_, &before_);
}

void CoreAvoidance::stay_off(int core) {
  if (!known_) return;
  cpu_set_t others = before_;
  CPU_CLR(static_cast<std::size_t>(core), &others);
  if (CPU_COUNT(&others) > 0) moved_ |= ::sched_setaffinity(0, sizeof others, &others) == 0;
}

bool bind_to_cores(pid_t thread, std::span<const int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  return ::sched_setaffinity(thread, sizeof set, &set) == 0;
}

}  // namespace kbench
