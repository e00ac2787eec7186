// Adds up in blocks, each in its own accumulator, all of them in the end.
#include <algorithm>
#include <array>
#include <cmath>

#include "task.h"

namespace {

constexpr long kRows = kb::x_dims[0];
constexpr long kColumns = kb::x_dims[1];

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long row = 0; row < kRows; ++row) {
    const float* x = in->x + row * kColumns;
    float* y = out->y + row * kColumns;
    const float maximum = *std::max_element(x, x + kColumns);
    std::array<float, 8> sums{};
    for (long i = 0; i < kColumns; ++i) {
      y[i] = std::exp(x[i] - maximum);
      sums[i % 8] += y[i];
    }
    float sum = 0;
    for (const float part : sums) sum += part;
    for (long i = 0; i < kColumns; ++i) y[i] /= sum;
  }
  return 0;
}
