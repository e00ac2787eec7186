// The arenas of a placement: memory of the oracle's that holds inputs, parameters and outputs, and
// that players map. The supervisor passes on descriptors, and maps what it reads itself.
#pragma once

#include <cstdint>
#include <string>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/oracle/protocol.hpp"

namespace kbench {

struct SeatArenas {
  UniqueFd inputs;
  UniqueFd params;
  UniqueFd outputs;
};

struct PlacedArenas {
  PlaceReply geometry;  // sizes and strides of each seat's arenas
  SeatArenas submission;
  SeatArenas baselines;  // arenas of the baselines; none unless asked for
  UniqueFd heap;         // heap, where it was asked for
};

// The error of arenas that are not what was said. kInfrastructure.
[[nodiscard]] Error unusable_arenas(const std::string& why);

// Checks an arena on a CPU before it is mapped: a file in memory of at least so many bytes that
// cannot be cut off. (On CUDA a descriptor is passed on, and mapped by workers alone.) Errors:
// kInfrastructure.
[[nodiscard]] Status check_arena(const UniqueFd& arena, std::uint64_t bytes);

}  // namespace kbench
