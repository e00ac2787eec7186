// Compares two tensors in device memory in one pass over each. The sums are taken in an order that
// depends only on the number of elements and of thread blocks.
#pragma once

#include <cstddef>

#include "runner/backend/backend.hpp"

namespace kbench::cuda {

// Device memory that compare() needs for `blocks` thread blocks.
[[nodiscard]] std::size_t compare_scratch_bytes(unsigned blocks);

// Starts the comparison on the default stream; *result, in pinned host memory, is complete once the
// stream is. Errors: kBadInput (see classify), kInfrastructure.
[[nodiscard]] Status compare(const CompareRequest& request, unsigned blocks, void* scratch,
                             CompareResult* result);

}  // namespace kbench::cuda
