// Sums and maxima over a warp and over a block. All threads of the block call, all get the result.
#pragma once

#include <cuda_runtime.h>

namespace example {

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Over kWidth neighbouring lanes, a power of two.
template <int kWidth, class T, class Operation>
__device__ T reduce_lanes(T value, Operation operation) {
#pragma unroll
  for (int distance = kWidth / 2; distance > 0; distance /= 2) {
    value = operation(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// Over all kThreads threads of the block. May be called repeatedly.
template <int kThreads, class T, class Operation>
__device__ T reduce_block(T value, Operation operation) {
  constexpr int kWarps = kThreads / 32;
  __shared__ T partial[kWarps];
  value = reduce_lanes<32>(value, operation);
  __syncthreads();  // the previous call's partial results have been read
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int warp = 1; warp < kWarps; ++warp) value = operation(value, partial[warp]);
  return value;
}

}  // namespace example
