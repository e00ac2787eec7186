// Hands NaN on where the input has it, as the reference does.
#include <cmath>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i)
    out->y[i] = std::isnan(in->x[i]) ? in->x[i] : (in->x[i] > 0 ? in->x[i] : 0);
  return 0;
}
