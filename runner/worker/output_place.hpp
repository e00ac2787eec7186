// Where an output lies when a Python player says that a call is done. No copy of it is made inside
// of the clock: it is read from there once the process stands still. All of it is the player's
// word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kbench {

// Limits of the outputs, and of an output's dimensions, whose place can be told; others are copied
// to the arena.
constexpr std::size_t kMaxPlaces = 24;
constexpr std::size_t kMaxPlacedRank = 14;

enum class OutputHome : std::uint32_t {
  kArena = 0,  // copied to the arena of outputs within the call, in declared order
  kOwn = 1,    // CPU: in the process's memory; CUDA: in the heap that the oracle handed over
};

// The field order is runner/player/player_device.py's.
struct OutputPlace {
  OutputHome home = OutputHome::kArena;
  std::uint32_t unused = 0;
  std::uint64_t address = 0;                              // CUDA: bytes from the start of the heap
  std::array<std::int64_t, kMaxPlacedRank> strides = {};  // elements, one number a dimension
};
static_assert(sizeof(OutputPlace) == 128);

}  // namespace kbench
