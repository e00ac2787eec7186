// The order in which a block visits its sides: drawn anew for each block from the evaluation's key,
// then mirrored for the second visit, so that a drift of the machine cancels within the block.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Fisher-Yates over `sides`, driven by the 64 bits of `key`.
[[nodiscard]] std::vector<Side> shuffled(std::vector<Side> sides, std::uint64_t key);

}  // namespace kbench
