// Copies its input to its output on the stream on which it is timed, and clears what is negative.
#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void clear_negative(float* y, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    if (y[i] < 0) y[i] = 0;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const auto stream = static_cast<cudaStream_t>(context->stream);
  constexpr std::size_t kBytes = kb::x_elements * sizeof(float);
  cudaMemcpyAsync(out->y, in->x, kBytes, cudaMemcpyDeviceToDevice, stream);
  clear_negative<<<context->sm_count * 8, 256, 0, stream>>>(out->y, kb::x_elements);
  return cudaGetLastError();
}
