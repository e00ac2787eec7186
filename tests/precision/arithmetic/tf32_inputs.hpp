// Eleven bits of what is read, rounded as tensor cores do.
#pragma once

#include "rounding.hpp"

inline float read(float x) { return keep<11>(x); }
inline float added(float sum, float term) { return sum + term; }
inline float written(float y) { return y; }
// How often term `i` of `n` counts.
inline float weight(long i, long n) { return (void)i, (void)n, 1.0f; }
