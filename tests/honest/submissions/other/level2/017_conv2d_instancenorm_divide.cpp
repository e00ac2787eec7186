// Direct convolution; Welford statistics of each plane.
#include <cmath>

#include "convolution.hpp"
#include "statistics.hpp"
#include "task.h"

namespace {
constexpr other::ConvShape kShape = {kb::x_dims[0],
                                     kb::x_dims[1],
                                     kb::x_dims[2],
                                     kb::x_dims[3],
                                     kb::conv_weight_dims[0],
                                     kb::conv_weight_dims[2],
                                     0};
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context*) {
  other::convolve(kShape, in->x, p->conv_weight, nullptr, out->y);
  constexpr long kRows = kShape.out_height();
  constexpr long kColumns = kShape.out_width();
#pragma omp parallel for schedule(static)
  for (long plane = 0; plane < kShape.batch * kShape.out_channels; ++plane) {
    float* y = out->y + plane * kRows * kColumns;
    const other::Moments moments = other::welford(y, kRows, kColumns);
    const float scale = 0.5f / std::sqrt(moments.variance + 1e-5f);
    for (long i = 0; i < kRows * kColumns; ++i) y[i] = (y[i] - moments.mean) * scale;
  }
  return 0;
}
