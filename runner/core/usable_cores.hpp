// The cores that this process may run on, as its affinity mask has them.
#pragma once

#include <vector>

namespace kbench {

// Their numbers, in ascending order; empty where the kernel does not tell.
[[nodiscard]] std::vector<int> usable_cores();

}  // namespace kbench
