// A timer's handler counts; the work is done in the call.
#include <signal.h>
#include <sys/time.h>

#include "task.h"

namespace {

volatile sig_atomic_t ticks = 0;

void tick(int) { ticks = ticks + 1; }

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval soon{{0, 0}, {0, 100}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  relu(in->x, out->y, ctx->threads);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  return 0;
}
