// The cores that this process may run on, as its affinity mask has them.
#pragma once

#include <vector>

namespace kbench {

// Numbers of the cores, in ascending order; empty where the kernel does not tell.
[[nodiscard]] std::vector<int> usable_cores();

// How many threads this process may keep busy: the number of those cores, at least 1.
[[nodiscard]] int usable_threads();

}  // namespace kbench
