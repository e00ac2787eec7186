// Serves a queue of its own inside its call, until the queue is empty.
#include <atomic>

#include "task.h"

namespace {

constexpr long kN = kb::y_dims[1];
constexpr long kK = kb::a_dims[1];

std::atomic<long> next_row;

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  next_row = 0;
#pragma omp parallel num_threads(ctx->threads)
  for (long row = next_row++; row < kb::y_dims[0]; row = next_row++) {
    float* y = out->y + row * kN;
    for (long j = 0; j < kN; ++j) y[j] = 0;
    for (long k = 0; k < kK; ++k)
      for (long j = 0; j < kN; ++j) y[j] += in->a[row * kK + k] * in->b[k * kN + j];
  }
  return 0;
}
