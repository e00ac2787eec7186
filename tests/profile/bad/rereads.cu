// Three passes over memory where one would do.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr long long kElements = kb::y_elements;

__device__ float relu(float value) { return value < 0 ? 0 : value; }

__global__ void copy(const float* x, float* y) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < kElements;
       i += step)
    y[i] = x[i];
}

__global__ void relu_in_place(float* y) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < kElements;
       i += step)
    y[i] = relu(y[i]);
}

__global__ void double_half_in_place(float* y) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < kElements;
       i += step)
    y[i] = 0.5f * y[i] + 0.5f * y[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* stream = static_cast<cudaStream_t>(context->stream);
  const float* x = in->x;
  float* y = out->y;
  const int blocks = context->sm_count * 8;
  copy<<<blocks, 256, 0, stream>>>(x, y);
  relu_in_place<<<blocks, 256, 0, stream>>>(y);
  double_half_in_place<<<blocks, 256, 0, stream>>>(y);
  return cudaGetLastError();
}
