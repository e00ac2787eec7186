// Takes a signal inside its call, sent to itself, and does a part of its work in the handler.
#include <signal.h>
#include <unistd.h>

#include "task.h"

namespace {

volatile sig_atomic_t signals = 0;

void count(int) { signals = signals + 1; }

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  signal(SIGUSR1, count);
  const int before = signals;
  kill(getpid(), SIGUSR1);
  while (signals == before) {
  }
  relu(in->x, out->y, ctx->threads);
  return 0;
}
