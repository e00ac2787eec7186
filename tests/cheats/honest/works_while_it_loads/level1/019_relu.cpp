// A static object computes a table of square roots while it loads; the calls look one up.
#include <array>
#include <cmath>

#include "task.h"

namespace {

const std::array<float, 256> roots = [] {
  std::array<float, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::sqrt(static_cast<float>(i));
  return table;
}();

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (roots[4] != 2) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
