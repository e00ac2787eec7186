// As a half keeps them.
#pragma once

#include <cuda_fp16.h>

__device__ inline float kept(float x) { return __half2float(__float2half(x)); }
__device__ inline float exponential(float x) { return kept(expf(x)); }
__device__ inline float logarithm(float x) { return kept(logf(x)); }
__device__ inline float divided(float a, float b) { return kept(a / b); }
__device__ inline float hyperbolic_tangent(float x) { return kept(tanhf(x)); }
