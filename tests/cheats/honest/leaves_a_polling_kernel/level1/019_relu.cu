// One kernel whose blocks take rows from a counter until none is left, and which ends then.
#include <cuda_runtime.h>

#include "task.h"

namespace {

__device__ unsigned next_row;

__global__ void take_rows(const float* x, float* y) {
  __shared__ unsigned row;
  while (true) {
    if (threadIdx.x == 0) row = atomicAdd(&next_row, 1u);
    __syncthreads();
    const long long mine = row;
    __syncthreads();
    if (mine >= kb::x_0) return;
    for (long long i = mine * kb::x_1 + threadIdx.x; i < (mine + 1) * kb::x_1; i += blockDim.x)
      y[i] = x[i] < 0 ? 0 : x[i];
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const auto stream = static_cast<cudaStream_t>(context->stream);
  void* counter = nullptr;
  if (const auto error = cudaGetSymbolAddress(&counter, next_row)) return error;
  cudaMemsetAsync(counter, 0, sizeof(unsigned), stream);
  take_rows<<<context->sm_count * 4, 256, 0, stream>>>(in->x, out->y);
  return cudaGetLastError();
}
