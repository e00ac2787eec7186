// A word in memory that another process's stream waits for, on the device: the driver keeps that
// stream back until the word has the value, whichever context has the device meanwhile.
#pragma once

#include <cstdint>

#include "runner/core/result.hpp"

namespace kbench::cuda {

// Sets the word, behind what is queued on the default stream. Asynchronous.
[[nodiscard]] Status open_gate(std::uint32_t* gate, std::uint32_t value);

}  // namespace kbench::cuda
