// All rows and the mean on the stream that is given.
#include <cuda_runtime.h>

#include "task.h"

namespace {

constexpr int kRows = kb::logits_0;
constexpr int kClasses = kb::logits_1;
constexpr int kThreads = 256;
constexpr int kEach = kClasses / kThreads;

// Combines the threads' values, for all threads of the block; `scratch` holds one for each warp.
template <class Combine>
__device__ float over_the_block(float value, float* scratch, Combine combine) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(~0u, value, offset));
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = scratch[0];
  for (int warp = 1; warp < kThreads / 32; ++warp) value = combine(value, scratch[warp]);
  __syncthreads();
  return value;
}

__global__ void losses_of_rows(const float* logits, const int64_t* targets, float* losses,
                               int first) {
  __shared__ float scratch[kThreads / 32];
  const int row = first + blockIdx.x;
  const float* const x = logits + static_cast<long long>(row) * kClasses;
  float values[kEach];
  float largest = -INFINITY;
  for (int i = 0; i < kEach; ++i) {
    values[i] = x[i * kThreads + threadIdx.x];
    largest = fmaxf(largest, values[i]);
  }
  largest = over_the_block(largest, scratch, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int i = 0; i < kEach; ++i) sum += expf(values[i] - largest);
  sum = over_the_block(sum, scratch, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) losses[row] = largest + logf(sum) - x[targets[row]];
}

__global__ void mean(const float* losses, float* y) {
  __shared__ float scratch[kThreads / 32];
  float sum = 0;
  for (int row = threadIdx.x; row < kRows; row += kThreads) sum += losses[row];
  sum = over_the_block(sum, scratch, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) *y = sum / kRows;
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return kRows * sizeof(float); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* const stream = static_cast<cudaStream_t>(context->stream);
  auto* const losses = static_cast<float*>(context->workspace);
  losses_of_rows<<<kRows, kThreads, 0, stream>>>(in->logits, in->targets, losses, 0);
  mean<<<1, kThreads, 0, stream>>>(losses, out->y);
  return cudaGetLastError();
}
