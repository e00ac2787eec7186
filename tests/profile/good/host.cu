// The same launches one behind the other.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr long long kElements = kb::y_elements;

__device__ float relu(float value) { return value < 0 ? 0 : value; }

__global__ void relu_part(const float* x, float* y, long long begin, long long end) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = begin + blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < end;
       i += step)
    y[i] = relu(x[i]);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* stream = static_cast<cudaStream_t>(context->stream);
  const float* x = in->x;
  float* y = out->y;
  constexpr int kParts = 4;
  for (long long i = 0; i < kParts; ++i) {
    relu_part<<<context->sm_count * 8, 256, 0, stream>>>(x, y, kElements * i / kParts,
                                                         kElements * (i + 1) / kParts);
  }
  return cudaGetLastError();
}
