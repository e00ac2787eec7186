// As a GPU's fast mathematics is documented to err (CUDA C++ Programming Guide, "Intrinsic
// functions"):
// __expf 2 + 1.17 |x| units, __logf 3 units or 2^-21.4 in [0.5, 2], __fdividef 2 units.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// Two units off, up or down by the value's own bits.
inline float off_by_two(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (!std::isnormal(x)) return x;
  bits += (bits >> 3 & 1) != 0 ? 2 : -2u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline float exponential(float x) { return off_by_two(std::exp2(x * 1.44269504f)); }
inline float logarithm(float x) {
  const double exact = std::log(static_cast<double>(x));
  if (x < 0.5f || x > 2.0f) return off_by_two(static_cast<float>(exact));
  return static_cast<float>(std::nearbyint(exact * 0x1p21) * 0x1p-21);
}
inline float divided(float a, float b) { return off_by_two(a * (1.0f / b)); }
inline float hyperbolic_tangent(float x) {
  return 1.0f - divided(2.0f, exponential(2.0f * x) + 1.0f);
}
