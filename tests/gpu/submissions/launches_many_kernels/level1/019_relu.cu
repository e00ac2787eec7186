// y = max(x, 0) in a thousand small launches, one slice each.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kLaunches = 1000;
constexpr int kThreads = 256;
constexpr long long kSlice = (kb::y_elements + kLaunches - 1) / kLaunches;

__global__ void relu_slice(const float* x, float* y, long long end) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  for (long long i = first; i < end; i += stride) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const auto blocks = static_cast<unsigned>((kSlice + kThreads - 1) / kThreads);
  for (long long begin = 0; begin < kb::y_elements; begin += kSlice) {
    const long long left = kb::y_elements - begin;
    relu_slice<<<blocks, kThreads, 0, static_cast<cudaStream_t>(context->stream)>>>(
        in->x + begin, out->y + begin, left < kSlice ? left : kSlice);
  }
  return cudaGetLastError();
}
