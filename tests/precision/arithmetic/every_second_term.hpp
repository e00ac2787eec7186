// Half of each sum, doubled.
#pragma once

#include "rounding.hpp"

inline float read(float x) { return x; }
inline float added(float sum, float term) { return sum + term; }
inline float written(float y) { return y; }
// How often term `i` of `n` counts.
inline float weight(long i, long n) { return (void)i, (void)n, i % 2 == 0 ? 2.0f : 0.0f; }
