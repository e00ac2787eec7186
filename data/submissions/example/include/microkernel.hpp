// The inner loop of every matrix product and convolution here: kRows broadcast values times kVecs
// vectors, accumulated in registers. Called by sgemm.hpp and conv.hpp, which differ only in how the
// vector operand is addressed. The tile fills the register file: 8 x 3 of 32, 4 x 3 of 16
// registers.
#pragma once

#include <cstddef>

#include "vec.hpp"

namespace example {

inline constexpr long kTileRows = kVectorRegisters == 32 ? 8 : 4;
inline constexpr long kTileVecs = 3;
inline constexpr long kTileColumns = kTileVecs * kLanes;

// accumulators[r][v] += row[r * stride] * columns[v * kLanes ...] : one step of the inner
// dimension.
template <std::size_t kRows, std::size_t kVecs>
[[gnu::always_inline]] inline void multiply_step(const float* row, std::size_t stride,
                                                 const float* columns,
                                                 Vec (&accumulators)[kRows][kVecs]) {
  Vec loaded[kVecs];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVecs; ++v) loaded[v] = load(columns + v * kLanes);
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
    const Vec value = broadcast(row[r * stride]);
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVecs; ++v) accumulators[r][v] += value * loaded[v];
  }
}

}  // namespace example
