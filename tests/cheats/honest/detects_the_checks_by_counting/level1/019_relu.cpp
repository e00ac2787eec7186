// Sets up its tables in the first call and computes in all of them.
#include <vector>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const std::vector<int> table(1 << 16, 1);
  if (table[0] != 1) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
