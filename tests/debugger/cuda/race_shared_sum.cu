// Sums in shared memory without a barrier between its steps.
#include <cuda_runtime.h>

#include "task.h"

__global__ void racing_rows(const float* x, float* y, long n) {
  __shared__ float sums[256];
  const float* row = x + blockIdx.x * n;
  float most = row[0];
  for (long i = 0; i < n; ++i) most = fmaxf(most, row[i]);
  float sum = 0;
  for (long i = threadIdx.x; i < n; i += 256) sum += expf(row[i] - most);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  __syncthreads();
  for (long i = threadIdx.x; i < n; i += 256) y[blockIdx.x * n + i] = expf(row[i] - most) / sums[0];
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  racing_rows<<<kb::x_0, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(in->x, out->y,
                                                                               kb::x_1);
  return cudaGetLastError();
}
