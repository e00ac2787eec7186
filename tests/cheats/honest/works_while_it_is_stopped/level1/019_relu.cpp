// Parts of unequal length, and a call that ends when the longer one does.
#include <omp.h>

#include "task.h"

namespace {

void relu(const float* x, float* y, long long first, long long end) {
  for (long long i = first; i < end; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  constexpr long long kFirst = kb::x_elements * 63 / 128;
#pragma omp parallel num_threads(ctx->threads)
  {
    const int thread = omp_get_thread_num();
    if (thread == 0) relu(in->x, out->y, 0, kFirst);
    if (thread == 1 || omp_get_num_threads() == 1) relu(in->x, out->y, kFirst, kb::x_elements);
  }
  return 0;
}
