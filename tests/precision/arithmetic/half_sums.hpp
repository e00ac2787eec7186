// Sums of eleven bits.
#pragma once

#include "rounding.hpp"

inline float read(float x) { return x; }
inline float added(float sum, float term) { return keep<11>(sum + term); }
inline float written(float y) { return y; }
// How often term `i` of `n` counts.
inline float weight(long i, long n) { return (void)i, (void)n, 1.0f; }
