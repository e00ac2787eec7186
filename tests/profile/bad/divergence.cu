// Each thread of a warp takes another number of turns: most wait for the last.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr long long kElements = kb::y_elements;

__device__ float relu(float value) { return value < 0 ? 0 : value; }

__global__ void relu_by_turns(const float* x, float* y) {
  const int turns = 8 * (threadIdx.x % 32 + 1);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < kElements;
       i += step) {
    float sum = x[i];
#pragma unroll 1
    for (int k = 0; k < turns; ++k) sum = sum * 0.9999999f + 1e-9f;
    y[i] = relu(sum);
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* stream = static_cast<cudaStream_t>(context->stream);
  const float* x = in->x;
  float* y = out->y;
  relu_by_turns<<<context->sm_count * 2, 1024, 0, stream>>>(x, y);
  return cudaGetLastError();
}
