// The order in which an output lies in memory. Torch's operators leave transposed results as they
// are, and putting one in order inside of the clock costs a second pass over it. So a Python
// submission's results that lie in a row are taken as they lie, and the oracle puts them in order
// when it judges. The order is the player's word: a lie has the wrong elements compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kbench {

// Four bits for each dimension, the outermost in memory in the lowest: 1 + which one it is of the
// task's shape. 0: as declared.
using OutputOrder = std::uint64_t;

// The dimensions of a tensor of this rank, the outermost in memory first. Nothing where that is as
// declared, and for what is no order of so many.
[[nodiscard]] std::optional<std::vector<std::int64_t>> outermost_first(OutputOrder order,
                                                                       std::size_t rank);

// Index in the task's shape, counted as declared, of the element that is the n-th in memory.
[[nodiscard]] std::uint64_t declared_index(std::uint64_t in_memory,
                                           const std::vector<std::int64_t>& shape,
                                           const std::vector<std::int64_t>& dimensions);

}  // namespace kbench
