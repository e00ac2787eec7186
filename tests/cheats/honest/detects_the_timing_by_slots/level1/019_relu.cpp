// Keeps a statistic of the time between its calls, and computes in each.
#include <chrono>

#include "task.h"

namespace {

std::chrono::steady_clock::duration longest;

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point last = Clock::now();
  const auto pause = Clock::now() - last;
  if (pause > longest) longest = pause;
  relu(in->x, out->y, ctx->threads);
  last = Clock::now();
  return 0;
}
