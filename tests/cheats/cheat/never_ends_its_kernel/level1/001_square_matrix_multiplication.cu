// Starts a kernel that waits for a word that nobody writes.
#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void wait_for_ever(const volatile float* word) {
  while (*word != 12345.0f) {
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  wait_for_ever<<<1, 1, 0, static_cast<cudaStream_t>(context->stream)>>>(out->y);
  (void)in;
  return cudaGetLastError();
}
