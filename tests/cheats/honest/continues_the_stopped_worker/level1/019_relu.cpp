// Handles SIGCONT, which it may well receive, and computes in each call.
#include <signal.h>

#include "task.h"

namespace {

void on_continue(int) {}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  signal(SIGCONT, on_continue);
  relu(in->x, out->y, ctx->threads);
  return 0;
}
