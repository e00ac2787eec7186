// Its constructor fills a table; the calls use it.
#include <array>

#include "task.h"

namespace {

std::array<float, 2> factors;

__attribute__((constructor)) void fill() { factors = {0.0f, 1.0f}; }

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const float* x = in->x;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i)
    out->y[i] = x[i] < 0 ? factors[0] : factors[1] * x[i];
  return 0;
}
