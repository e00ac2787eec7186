// Takes another grid in its first calls, to see which one is quicker; all of them do the work.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kTried = 12;

__global__ void relu_kernel(const float* x, float* y, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  static int calls = 0;
  const int blocks = ++calls <= kTried ? 4 : 8;
  relu_kernel<<<context->sm_count * blocks, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(
      in->x, out->y, kb::x_elements);
  return cudaGetLastError();
}
