// Few blocks, whose threads stride over all elements.
#include <cuda_runtime.h>

#include "task.h"

__global__ void rectify_in_strides(const float* x, float* y, long n) {
  for (long i = blockIdx.x * 256L + threadIdx.x; i < n; i += gridDim.x * 256L)
    y[i] = fmaxf(x[i], 0.0f);
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  rectify_in_strides<<<64, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(in->x, out->y,
                                                                                 kb::x_elements);
  return cudaGetLastError();
}
