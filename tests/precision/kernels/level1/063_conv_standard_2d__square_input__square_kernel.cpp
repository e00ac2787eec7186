// Direct convolution: a sum over channels and window for each pixel.
#include <vector>

#include "arithmetic.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* params, const kb_outputs* out,
                              kb_context*) {
  constexpr long kSide = kb::conv_weight_2;
  constexpr long kTerms = kb::x_1 * kSide * kSide;
#pragma omp parallel for collapse(2)
  for (long n = 0; n < kb::y_0; ++n) {
    for (long c = 0; c < kb::y_1; ++c) {
      const float* w = params->conv_weight + c * kTerms;
      float* y = out->y + (n * kb::y_1 + c) * kb::y_2 * kb::y_3;
      for (long row = 0; row < kb::y_2; ++row) {
        std::vector<float> sums(kb::y_3, 0.0f);
        for (long i = 0; i < kTerms; ++i) {
          const long channel = i / (kSide * kSide);
          const float* x = in->x +
                           ((n * kb::x_1 + channel) * kb::x_2 + row + i / kSide % kSide) * kb::x_3 +
                           i % kSide;
          const float factor = weight(i, kTerms) * read(w[i]);
          for (long j = 0; j < kb::y_3; ++j) sums[j] = added(sums[j], factor * read(x[j]));
        }
        for (long j = 0; j < kb::y_3; ++j) y[row * kb::y_3 + j] = written(sums[j]);
      }
    }
  }
  return 0;
}
