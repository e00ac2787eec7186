// Softmax whose partial sums are one more than their array holds.
#include <cmath>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr int kParts = 8;
  const int parts = kParts + static_cast<int>(kb::x_1 % 2 == 0);
  for (long long r = 0; r < kb::x_0; ++r) {
    const float* x = in->x + r * kb::x_1;
    float sums[kParts] = {};
    float most = x[0];
    for (long long i = 0; i < kb::x_1; ++i) most = std::fmax(most, x[i]);
    for (long long i = 0; i < kb::x_1; ++i) sums[i % parts] += std::exp(x[i] - most);
    float sum = 0;
    for (float part : sums) sum += part;
    for (long long i = 0; i < kb::x_1; ++i) out->y[r * kb::x_1 + i] = std::exp(x[i] - most) / sum;
  }
  return 0;
}
