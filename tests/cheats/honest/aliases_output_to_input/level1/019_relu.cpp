// Copies the input to the output and works there in place.
#include <cstring>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  std::memcpy(out->y, in->x, kb::x_elements * sizeof(float));
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = out->y[i] < 0 ? 0 : out->y[i];
  return 0;
}
