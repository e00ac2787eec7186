// The same product on tensor cores, in TF32: a warp has a tile of 32 by 32.
#include <mma.h>

#include <cuda_runtime.h>

#include "task.h"

namespace {

namespace wmma = nvcuda::wmma;

constexpr int kM = kb::a_dims[0];
constexpr int kK = kb::a_dims[1];
constexpr int kN = kb::b_dims[1];
constexpr int kTile = 32;
static_assert(kM % kTile == 0 && kN % kTile == 0 && kK % 8 == 0);

template <class Fragment>
__device__ void round_to_tf32(Fragment& fragment) {
  for (int i = 0; i < fragment.num_elements; ++i)
    fragment.x[i] = wmma::__float_to_tf32(fragment.x[i]);
}

__global__ void multiply(const float* a, const float* b, float* c) {
  const int column = (blockIdx.x * blockDim.y + threadIdx.y) * kTile;
  const int row = blockIdx.y * kTile;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums[2][2];
  for (auto& line : sums)
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < kK; k += 8) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right[2];
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(left[i], a + (row + 16 * i) * kK + k, kK);
      wmma::load_matrix_sync(right[i], b + k * kN + column + 16 * i, kN);
      round_to_tf32(left[i]);
      round_to_tf32(right[i]);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + (row + 16 * i) * kN + column + 16 * j, sums[i][j], kN,
                              wmma::mem_row_major);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  constexpr int kWarps = 4;
  multiply<<<dim3(kN / kTile / kWarps, kM / kTile), dim3(32, kWarps), 0,
             static_cast<cudaStream_t>(context->stream)>>>(in->a, in->b, out->y);
  return cudaGetLastError();
}
