// Reads the clock itself.
#include <chrono>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const auto start = std::chrono::steady_clock::now();
  relu(in->x, out->y, ctx->threads);
  return std::chrono::steady_clock::now() < start ? 1 : 0;
}
