// A tanh with the error of tanh.approx.f32, 2^-11 of the value (PTX ISA); all else is as it should
// be.
#pragma once

#include <cmath>

#include "rounding.hpp"

inline float exponential(float x) { return std::exp(x); }
inline float logarithm(float x) { return std::log(x); }
inline float divided(float a, float b) { return a / b; }
inline float hyperbolic_tangent(float x) { return keep<11>(std::tanh(x)); }
