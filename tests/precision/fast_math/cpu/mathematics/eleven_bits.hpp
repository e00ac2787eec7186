// As a half keeps them.
#pragma once

#include <cmath>

#include "rounding.hpp"

inline float exponential(float x) { return keep<11>(std::exp(x)); }
inline float logarithm(float x) { return keep<11>(std::log(x)); }
inline float divided(float a, float b) { return keep<11>(a / b); }
inline float hyperbolic_tangent(float x) { return keep<11>(std::tanh(x)); }
