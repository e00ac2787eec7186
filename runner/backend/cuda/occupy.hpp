// Work that takes a known time and does nothing: while it runs, what is launched behind it waits,
// and contexts of other processes do too, since contexts take turns on a device (there is no MPS
// here).
#pragma once

#include <chrono>

#include "runner/core/result.hpp"

namespace kbench::cuda {

// Keeps the default stream busy that long. Asynchronous.
[[nodiscard]] Status occupy(std::chrono::microseconds duration);

}  // namespace kbench::cuda
