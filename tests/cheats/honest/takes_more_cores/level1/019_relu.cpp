// Binds itself to the cores that it has already.
#include <sched.h>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  cpu_set_t given;
  CPU_ZERO(&given);
  if (sched_getaffinity(0, sizeof given, &given) != 0) return 1;
  if (sched_setaffinity(0, sizeof given, &given) != 0) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
