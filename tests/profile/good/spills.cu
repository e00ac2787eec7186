// As many registers as a thread needs.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr long long kElements = kb::y_elements;

__device__ float relu(float value) { return value < 0 ? 0 : value; }

constexpr int kLive = 64;
constexpr int kThreads = 256;

// Sixty-four values that all stay in use.
__global__ __launch_bounds__(256) void relu_mixed(const float* x, float* y) {
  const long long first = blockIdx.x * static_cast<long long>(kThreads) * kLive + threadIdx.x;
  if (first + (kLive - 1) * kThreads >= kElements) return;
  float live[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) live[i] = x[first + i * kThreads];
#pragma unroll
  for (int round = 0; round < 3; ++round) {
#pragma unroll
    for (int i = 0; i < kLive; ++i) live[i] = fmaf(live[(i + 29) % kLive], 1e-9f, live[i]);
  }
#pragma unroll
  for (int i = 0; i < kLive; ++i) y[first + i * kThreads] = relu(live[i]);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* stream = static_cast<cudaStream_t>(context->stream);
  const float* x = in->x;
  float* y = out->y;
  const auto blocks = static_cast<unsigned>((kElements / kLive + kThreads - 1) / kThreads);
  relu_mixed<<<blocks, kThreads, 0, stream>>>(x, y);
  return cudaGetLastError();
}
