// The serial mean of squares over channels, then division by its root.
#include <cmath>

#include "arithmetic.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kPixels = kb::x_2 * kb::x_3;
  constexpr long kChannels = kb::x_1;
  constexpr float kEps = 1e-5f;
#pragma omp parallel for
  for (long n = 0; n < kb::x_0; ++n) {
    for (long i = 0; i < kPixels; ++i) {
      const float* x = in->x + n * kChannels * kPixels + i;
      float* y = out->y + n * kChannels * kPixels + i;
      float sum = 0;
      for (long c = 0; c < kChannels; ++c) {
        const float value = read(x[c * kPixels]);
        sum = added(sum, weight(c, kChannels) * value * value);
      }
      const float root = std::sqrt(sum / kChannels + kEps);
      for (long c = 0; c < kChannels; ++c) y[c * kPixels] = written(read(x[c * kPixels]) / root);
    }
  }
  return 0;
}
