// Each sum but for its end.
#pragma once

#include "rounding.hpp"

inline float read(float x) { return x; }
inline float added(float sum, float term) { return sum + term; }
inline float written(float y) { return y; }
// How often term `i` of `n` counts.
inline float weight(long i, long n) {
  return (void)i, (void)n, i < n - (n + 63) / 64 ? 1.0f : 0.0f;
}
