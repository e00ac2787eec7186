// Sends a signal to itself and handles it.
#include <signal.h>

#include "task.h"

namespace {

volatile sig_atomic_t received = 0;

void on_signal(int) { received = 1; }

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  signal(SIGUSR2, on_signal);
  raise(SIGUSR2);
  relu(in->x, out->y, ctx->threads);
  return received == 1 ? 0 : 1;
}
