// A shared arena in host memory: an anonymous file (memfd) mapped here, its pages present from the
// start, its size sealed.
#pragma once

#include <cstdint>
#include <memory>

#include "runner/backend/backend.hpp"

namespace kbench::cpu {

// Errors: kDoesNotFit when the memory is not there, kInfrastructure otherwise.
[[nodiscard]] Result<std::unique_ptr<SharedArena>> create_memfd_arena(std::uint64_t bytes);

}  // namespace kbench::cpu
