// Its constructor catches an exception of its own and goes on.
#include <stdexcept>

#include "task.h"

namespace {

bool ready = false;

__attribute__((constructor)) void prepare() {
  try {
    throw std::runtime_error("not fatal");
  } catch (const std::runtime_error&) {
    ready = true;
  }
}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (!ready) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
