// The maximum first, tanh after it: tanh rises, so they may change places.
#include <algorithm>
#include <cmath>
#include <vector>

#include "convolution.hpp"
#include "task.h"

namespace {
constexpr other::ConvShape kShape = {kb::x_dims[0],
                                     kb::x_dims[1],
                                     kb::x_dims[2],
                                     kb::x_dims[3],
                                     kb::conv_weight_dims[0],
                                     kb::conv_weight_dims[2],
                                     0};
constexpr long kRows = kShape.out_height();
constexpr long kColumns = kShape.out_width();
}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context*) {
  std::vector<float> z(kShape.batch * kShape.out_channels * kRows * kColumns);
  other::convolve(kShape, in->x, p->conv_weight, p->conv_bias, z.data());
#pragma omp parallel for schedule(static)
  for (long plane = 0; plane < kShape.batch * kShape.out_channels; ++plane) {
    const float* image = z.data() + plane * kRows * kColumns;
    float* y = out->y + plane * (kRows / 4) * (kColumns / 4);
    for (long i = 0; i < kRows / 4; ++i) {
      for (long j = 0; j < kColumns / 4; ++j) {
        float largest = image[4 * i * kColumns + 4 * j];
        for (long k = 1; k < 16; ++k)
          largest = std::max(largest, image[(4 * i + k / 4) * kColumns + 4 * j + k % 4]);
        const float scaled = 2 * std::tanh(largest);
        y[i * (kColumns / 4) + j] = scaled + p->bias[plane % kShape.out_channels];
      }
    }
  }
  return 0;
}
