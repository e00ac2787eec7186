// A product of matrices of which a thread computes one element: it takes two values from shared
// memory for each multiplication.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kM = kb::a_dims[0];
constexpr int kK = kb::a_dims[1];
constexpr int kN = kb::b_dims[1];
constexpr int kTile = 16;
static_assert(kM % kTile == 0 && kN % kTile == 0 && kK % kTile == 0);

__global__ void multiply(const float* a, const float* b, float* c) {
  __shared__ float as[kTile][kTile + 1];
  __shared__ float bs[kTile][kTile];
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kK; k += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * kK + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * kN + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * kN + column] = sum;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  multiply<<<dim3(kN / kTile, kM / kTile), dim3(kTile, kTile), 0,
             static_cast<cudaStream_t>(context->stream)>>>(in->a, in->b, out->y);
  return cudaGetLastError();
}
