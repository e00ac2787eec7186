// Fewer bits than float32 has, by rounding to nearest; the range of exponents stays.
#pragma once

#include <cstdint>
#include <cstring>

template <int kBits>  // bits of the significand, the hidden one included
float keep(float x) {
  constexpr int kDropped = 24 - kBits;
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7F800000u) == 0x7F800000u) return x;
  bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  bits &= ~((1u << kDropped) - 1);
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
