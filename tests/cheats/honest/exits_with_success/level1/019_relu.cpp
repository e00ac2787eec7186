// Registers a function for the end of the process and returns early where it can: from each chunk.
#include <cstdlib>

#include "task.h"

namespace {

void at_the_end() {}

void chunk(const float* x, float* y, long long count) {
  if (count <= 0) return;
  for (long long i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const int registered = std::atexit(at_the_end);
  constexpr long long kChunk = 1 << 16;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements + kChunk; i += kChunk)
    chunk(in->x + i, out->y + i, kb::x_elements - i < kChunk ? kb::x_elements - i : kChunk);
  return registered;
}
