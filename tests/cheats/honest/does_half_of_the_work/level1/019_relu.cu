// Launches twice as many blocks as the output needs; the others end at once.
#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void relu_kernel(const float* x, float* y, long long count) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride)
    y[i] = x[i] < 0 ? 0 : x[i];
}

int relu(const float* x, float* y, long long count, cudaStream_t stream) {
  relu_kernel<<<4096, 256, 0, stream>>>(x, y, count);
  return cudaGetLastError();
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  return relu(in->x, out->y, kb::x_elements, static_cast<cudaStream_t>(context->stream));
}
