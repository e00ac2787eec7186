// Tries two ways at its first calls and stays with the faster one: tuning by its own clock.
#include <array>
#include <chrono>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

void relu_by_rows(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 16)
  for (long long row = 0; row < kb::x_dims[0]; ++row)
    for (long long i = row * kb::x_dims[1]; i < (row + 1) * kb::x_dims[1]; ++i)
      y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  using Clock = std::chrono::steady_clock;
  static std::array<Clock::duration, 2> took;
  static unsigned calls = 0;
  const std::size_t way = calls < 4 ? calls % 2 : (took[1] < took[0] ? 1 : 0);
  const auto start = Clock::now();
  (way == 0 ? relu : relu_by_rows)(in->x, out->y, ctx->threads);
  if (calls < 4) took[way] = Clock::now() - start;
  ++calls;
  return 0;
}
