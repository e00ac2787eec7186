// Allocates some memory of its own, searches it for a value and finds it.
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

__global__ void put(int* memory) { memory[1000] = 7; }

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const auto stream = static_cast<cudaStream_t>(context->stream);
  static int* memory = nullptr;
  if (memory == nullptr && cudaMalloc(&memory, 1 << 20) != cudaSuccess) return 1;
  put<<<1, 1, 0, stream>>>(memory);
  return relu(in->x, out->y, kb::x_elements, stream);
}
