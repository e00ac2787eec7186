#include "runner/core/usable_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>

namespace kbench {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(static_cast<int>(core));
  return cores;
}

int usable_threads() { return std::max(1, static_cast<int>(usable_cores().size())); }

}  // namespace kbench
