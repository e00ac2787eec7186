// The same with as much shared memory as it uses.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr long long kElements = kb::y_elements;

__device__ float relu(float value) { return value < 0 ? 0 : value; }

__global__ void relu_shared(const float* x, float* y) {
  extern __shared__ float room[];
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < kElements;
       i += step) {
    room[threadIdx.x] = x[i];
    y[i] = relu(room[threadIdx.x]);
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* stream = static_cast<cudaStream_t>(context->stream);
  const float* x = in->x;
  float* y = out->y;
  constexpr int kThreads = 256;
  relu_shared<<<context->sm_count * 8, kThreads, kThreads * sizeof(float), stream>>>(x, y);
  return cudaGetLastError();
}
