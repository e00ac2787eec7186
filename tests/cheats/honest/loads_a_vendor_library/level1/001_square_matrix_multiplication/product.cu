// Takes the product from cuBLAS and says so in its manifest.
#include <cublas_v2.h>

#include <cuda_runtime.h>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  cublasSetStream(handle, static_cast<cudaStream_t>(context->stream));
  constexpr int kN = kb::a_0;
  const float one = 1;
  const float zero = 0;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kN, kN, kN, &one, in->b, kN, in->a, kN,
                     &zero, out->y, kN);
}
