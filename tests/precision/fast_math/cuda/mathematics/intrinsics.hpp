// The expf, logf and division of `-use_fast_math`.
#pragma once

__device__ inline float exponential(float x) { return __expf(x); }
__device__ inline float logarithm(float x) { return __logf(x); }
__device__ inline float divided(float a, float b) { return __fdividef(a, b); }
__device__ inline float hyperbolic_tangent(float x) {
  return 1.0f - divided(2.0f, exponential(2.0f * x) + 1.0f);
}
