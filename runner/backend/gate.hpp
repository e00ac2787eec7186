// The gate: on CUDA the last bytes of the input arena. The oracle writes a value there, on the
// device, when a call's inputs show, and a worker's stream waits for that value.
#pragma once

#include <cstddef>

namespace kbench {

// A word of them counts; the rest keeps what comes before at its alignment.
constexpr std::size_t kGateBytes = 256;

}  // namespace kbench
