// Marks its own progress in an atomic counter and returns after the last chunk.
#include <atomic>

#include "task.h"

namespace {

std::atomic<long long> finished;

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  constexpr long long kRow = kb::x_dims[1];
  finished = 0;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long row = 0; row < kb::x_dims[0]; ++row) {
    const float* x = in->x + row * kRow;
    float* y = out->y + row * kRow;
    for (long long i = 0; i < kRow; ++i) y[i] = x[i] < 0 ? 0 : x[i];
    ++finished;
  }
  return finished == kb::x_dims[0] ? 0 : 1;
}
