// Writes NaN everywhere.
#include <cuda_runtime.h>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  (void)in;
  return cudaMemsetAsync(out->y, 0xFF, kb::y_elements * sizeof(float),
                         static_cast<cudaStream_t>(context->stream));
}
