// Collects the rows of one call and does sixteen of them at a time.
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long first = 0; first < kb::x_dims[0]; first += 16)
    for (long long row = first; row < first + 16; ++row)
      for (long long i = row * kb::x_dims[1]; i < (row + 1) * kb::x_dims[1]; ++i)
        out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
