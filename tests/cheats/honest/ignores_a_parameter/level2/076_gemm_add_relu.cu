// Adds the bias in the same kernel.
#include <cuda_runtime.h>

#include "task.h"

namespace {

// y = max(x w + bias, 0) with w already transposed to [inputs, outputs].
__global__ void linear(const float* x, const float* w, const float* bias, float* y) {
  const long long n = blockIdx.x * 256LL + threadIdx.x;
  const long long row = blockIdx.y;
  float sum = 0;
  for (long long k = 0; k < kb::x_1; ++k) sum += x[row * kb::x_1 + k] * w[k * kb::y_1 + n];
  if (bias != nullptr) sum += bias[n];
  y[row * kb::y_1 + n] = sum < 0 ? 0 : sum;
}

__global__ void transpose(const float* w, float* packed) {
  const long long k = blockIdx.x * 256LL + threadIdx.x;
  const long long n = blockIdx.y;
  packed[k * kb::y_1 + n] = w[n * kb::x_1 + k];
}
static_assert(kb::x_1 % 256 == 0 && kb::y_1 % 256 == 0);

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return kb::x_1 * kb::y_1 * sizeof(float); }

extern "C" int kbench_prepare(const kb_params* params, kb_context* context) {
  transpose<<<dim3(kb::x_1 / 256, kb::y_1), 256, 0, static_cast<cudaStream_t>(context->stream)>>>(
      params->linear_weight, static_cast<float*>(context->workspace));
  return cudaGetLastError();
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* params, const kb_outputs* out,
                              kb_context* context) {
  linear<<<dim3(kb::y_1 / 256, kb::x_0), 256, 0, static_cast<cudaStream_t>(context->stream)>>>(
      in->x, static_cast<const float*>(context->workspace), params->bias, out->y);
  return cudaGetLastError();
}
