// Looks for bytes that should be as they were left: poison around buffers, copies that must not
// change. Counts add up in `counter`, device memory that the caller clears and reads; everything
// happens on the default stream.
#pragma once

#include <cstdint>

#include "runner/core/result.hpp"

namespace kbench::cuda {

// Adds the number of bytes that are not 0xFF. `data` may have any alignment.
[[nodiscard]] Status count_unpoisoned(const void* data, std::uint64_t bytes, unsigned blocks,
                                      unsigned long long* counter);

// Adds the number of bytes that differ. Both are aligned to 16 bytes.
[[nodiscard]] Status count_differing(const void* a, const void* b, std::uint64_t bytes,
                                     unsigned blocks, unsigned long long* counter);

}  // namespace kbench::cuda
