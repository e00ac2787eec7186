// A shared arena in device memory: a physical allocation of the CUDA driver, exported as a POSIX
// descriptor and mapped here for reading and writing. Made by the CUDA backend. Another process
// imports the descriptor with cuMemImportFromShareableHandle and maps bytes() bytes.
#pragma once

#include <cstdint>
#include <memory>

#include "runner/backend/backend.hpp"

namespace kbench::cuda {

// Errors: kDoesNotFit when the device has not enough memory, kInfrastructure otherwise.
[[nodiscard]] Result<std::unique_ptr<SharedArena>> create_exported_arena(int device,
                                                                         std::uint64_t bytes);

}  // namespace kbench::cuda
