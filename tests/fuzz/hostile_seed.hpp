// Knowledge of a seed that hostile_soak and hostile_worker share.
#pragma once

#include <cstdint>

namespace kbench::fuzz {

// For most seeds the worker is our own until it loads, and from then on the fault is its own.
[[nodiscard]] inline bool behaves_until_it_loads(std::uint64_t seed) { return seed % 4 != 0; }

}  // namespace kbench::fuzz
