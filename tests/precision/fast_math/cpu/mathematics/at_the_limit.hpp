// An exponential that needs what is granted to fast mathematics: 25 units off, up or down.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

inline float exponential(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const float off = (bits >> 3 & 1) != 0 ? 25 * 0x1p-24f : -25 * 0x1p-24f;
  return std::exp(x) * (1.0f + off);
}
