// Compares two tensors in host memory, on all threads. The sums are taken over chunks of fixed size
// in a fixed order: they do not depend on the number of threads.
#pragma once

#include "runner/backend/backend.hpp"

namespace kbench::cpu {

// Errors: kBadInput (see classify).
[[nodiscard]] Result<CompareResult> compare(const CompareRequest& request, int threads);

}  // namespace kbench::cpu
