// Four elements a thread; the last ones by themselves.
#include <cuda_runtime.h>

#include "task.h"

__global__ void rectify_four(const float* x, float* y, long n) {
  const long i = (blockIdx.x * 256L + threadIdx.x) * 4;
  if (i + 4 <= n) {
    float4 v = *reinterpret_cast<const float4*>(x + i);
    v = {fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f)};
    *reinterpret_cast<float4*>(y + i) = v;
  } else {
    for (long k = i; k < n; ++k) y[k] = fmaxf(x[k], 0.0f);
  }
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const long n = kb::x_elements;
  rectify_four<<<(n + 255) / 256, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(in->x,
                                                                                        out->y, n);
  return cudaGetLastError();
}
