// A first kernel fills the workspace, a second reads it.
#include <cuda_runtime.h>

#include "task.h"

__global__ void keep_sums(const float* x, float* sums, long n) {
  const float* row = x + blockIdx.x * n;
  if (threadIdx.x != 0) return;
  float most = row[0], sum = 0;
  for (long i = 0; i < n; ++i) most = fmaxf(most, row[i]);
  for (long i = 0; i < n; ++i) sum += expf(row[i] - most);
  sums[2 * blockIdx.x] = most;
  sums[2 * blockIdx.x + 1] = sum;
}
__global__ void divide_by_sums(const float* x, const float* sums, float* y, long n) {
  for (long i = threadIdx.x; i < n; i += 256)
    y[blockIdx.x * n + i] =
        expf(x[blockIdx.x * n + i] - sums[2 * blockIdx.x]) / sums[2 * blockIdx.x + 1];
}

extern "C" uint64_t kbench_workspace_bytes(void) { return kb::x_0 * 2 * sizeof(float); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  auto* sums = static_cast<float*>(context->workspace);
  const auto stream = static_cast<cudaStream_t>(context->stream);
  keep_sums<<<kb::x_0, 32, 0, stream>>>(in->x, sums, kb::x_1);
  divide_by_sums<<<kb::x_0, 256, 0, stream>>>(in->x, sums, out->y, kb::x_1);
  return cudaGetLastError();
}
