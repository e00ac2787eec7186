#include "runner/sandbox/moved_threads.hpp"

namespace kbench {

MovedThreads::MovedThreads(std::span<const pid_t> threads) {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  for (const pid_t thread : threads) {
    cpu_set_t bound;
    if (::sched_getaffinity(thread, sizeof bound, &bound) != 0) continue;
    cpu_set_t others;
    CPU_XOR(&others, &usable, &bound);
    CPU_AND(&others, &others, &usable);
    if (CPU_COUNT(&others) == 0) continue;
    if (::sched_setaffinity(thread, sizeof others, &others) == 0)
      bound_before_.emplace_back(thread, bound);
  }
}

MovedThreads::~MovedThreads() {
  for (const auto& [thread, bound] : bound_before_)
    (void)::sched_setaffinity(thread, sizeof bound, &bound);
}

}  // namespace kbench
