// The same product, of which a thread computes 8 by 8 elements: 16 values from shared memory, four
// at a time, for 64 multiplications.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kM = kb::a_dims[0];
constexpr int kK = kb::a_dims[1];
constexpr int kN = kb::b_dims[1];
constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kThreads = 256;  // 16 by 16, each two times four rows and columns
static_assert(kM % kTile == 0 && kN % kTile == 0 && kK % kDepth == 0);
static_assert(kTile * kDepth == 4 * kThreads);

__global__ __launch_bounds__(kThreads) void multiply(const float* a, const float* b, float* c) {
  __shared__ float as[kDepth][kTile + 4];
  __shared__ float bs[kDepth][kTile];
  const int thread = threadIdx.x;
  const int row = 4 * (thread / 16);
  const int column = 4 * (thread % 16);
  const float* a_tile = a + static_cast<long>(blockIdx.y) * kTile * kK;
  const float* b_tile = b + blockIdx.x * kTile;
  float sums[8][8] = {};
  for (int k = 0; k < kK; k += kDepth) {
    const int a_row = thread / 2;
    const int a_column = 4 * (thread % 2);
    const float4 from_a =
        *reinterpret_cast<const float4*>(a_tile + static_cast<long>(a_row) * kK + k + a_column);
    as[a_column][a_row] = from_a.x;
    as[a_column + 1][a_row] = from_a.y;
    as[a_column + 2][a_row] = from_a.z;
    as[a_column + 3][a_row] = from_a.w;
    *reinterpret_cast<float4*>(&bs[thread / 32][4 * (thread % 32)]) =
        *reinterpret_cast<const float4*>(b_tile + static_cast<long>(k + thread / 32) * kN +
                                         4 * (thread % 32));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      float left[8], right[8];
      for (int half = 0; half < 2; ++half) {
        *reinterpret_cast<float4*>(left + 4 * half) =
            *reinterpret_cast<const float4*>(&as[i][row + 64 * half]);
        *reinterpret_cast<float4*>(right + 4 * half) =
            *reinterpret_cast<const float4*>(&bs[i][column + 64 * half]);
      }
      for (int m = 0; m < 8; ++m)
        for (int n = 0; n < 8; ++n) sums[m][n] = fmaf(left[m], right[n], sums[m][n]);
    }
    __syncthreads();
  }
  float* c_tile = c + static_cast<long>(blockIdx.y) * kTile * kN + blockIdx.x * kTile;
  for (int m = 0; m < 8; ++m)
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float4*>(c_tile + static_cast<long>(row + 64 * (m / 4) + m % 4) * kN +
                                 column + 64 * half) =
          make_float4(sums[m][4 * half], sums[m][4 * half + 1], sums[m][4 * half + 2],
                      sums[m][4 * half + 3]);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  multiply<<<dim3(kN / kTile, kM / kTile), kThreads, 0,
             static_cast<cudaStream_t>(context->stream)>>>(in->a, in->b, out->y);
  return cudaGetLastError();
}
