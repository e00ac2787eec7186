// Makes the launch's parameters on the host in each call, which costs nobody anything.
#include <algorithm>

#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void relu_kernel(const float* x, float* y, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const int wanted = static_cast<int>((kb::x_elements + 255) / 256);
  const int blocks = std::min(wanted, context->sm_count * 8);
  relu_kernel<<<blocks, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(in->x, out->y,
                                                                              kb::x_elements);
  return cudaGetLastError();
}
