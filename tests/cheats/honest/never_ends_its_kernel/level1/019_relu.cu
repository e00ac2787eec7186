// Its blocks wait for each other through a cooperative launch, and all of them come.
#include <cooperative_groups.h>

#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void relu_in_two_steps(const float* x, float* y) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  for (long long i = first; i < kb::x_elements; i += stride) y[i] = x[i];
  cooperative_groups::this_grid().sync();
  for (long long i = first; i < kb::x_elements; i += stride) y[i] = y[i] < 0 ? 0 : y[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const float* x = in->x;
  float* y = out->y;
  void* arguments[] = {&x, &y};
  return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relu_in_two_steps),
                                     dim3(context->sm_count), dim3(512), arguments, 0,
                                     static_cast<cudaStream_t>(context->stream));
}
