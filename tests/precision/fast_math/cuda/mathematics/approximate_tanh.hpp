// The tanhf of `-use_fast_math`; all else is as it should be.
#pragma once

__device__ inline float exponential(float x) { return expf(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline float divided(float a, float b) { return a / b; }
__device__ inline float hyperbolic_tangent(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
