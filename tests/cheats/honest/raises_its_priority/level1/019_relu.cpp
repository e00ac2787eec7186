// Looks up its priority and leaves it as it is.
#include <sys/resource.h>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (getpriority(PRIO_PROCESS, 0) < -20) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
