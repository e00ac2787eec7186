// Counts its calls and rounds what it computed in the last place only, in all of them: within what
// any order of operations may do.
#include <bit>
#include <cstdint>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static int calls = 0;
  ++calls;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) {
    const float y = in->x[i] < 0 ? 0 : in->x[i];
    out->y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) & ~1U);
  }
  return 0;
}
