// exp, tanh and the logistic function on whole vectors, accurate to about 1-2 ulp. The C library's
// own are scalar calls here, several times slower than everything around them. Polynomials: the
// single-precision ones of the Cephes library (S. L. Moshier, 1989).
#pragma once

#include "vec.hpp"

namespace example {

// Correct over the whole range: 0 far below, denormals in between, infinity above, NaN stays NaN.
inline Vec exp(Vec x) {
  x = x < -105.0f ? broadcast(-105.0f) : x;
  x = x > 89.0f ? broadcast(89.0f) : x;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  constexpr float kRound = 12582912.0f;
  const Vec shifted = x * 1.44269504088896341f + kRound;
  const Vec exponent = shifted - kRound;
  Vec r = x - exponent * 0.693359375f;
  r = r - exponent * -2.12194440e-4f;
  Vec p = broadcast(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // 2^exponent as two factors, so that neither leaves the range of a float.
  const IntVec n = reinterpret_cast<IntVec>(shifted) - 0x4B400000;
  const IntVec half = n >> 1;
  const Vec first = reinterpret_cast<Vec>((half + 127) << 23);
  const Vec second = reinterpret_cast<Vec>((n - half + 127) << 23);
  return p * first * second;
}

inline Vec sigmoid(Vec x) { return 1.0f / (1.0f + exp(-x)); }

inline Vec tanh(Vec x) {
  const Vec magnitude = x < 0.0f ? -x : x;
  const Vec large = 1.0f - 2.0f / (exp(magnitude + magnitude) + 1.0f);
  const Vec z = x * x;
  Vec p = broadcast(-5.70498872745e-3f);
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const Vec small = p * z * x + x;
  return magnitude < 0.625f ? small : (x < 0.0f ? -large : large);
}

}  // namespace example
