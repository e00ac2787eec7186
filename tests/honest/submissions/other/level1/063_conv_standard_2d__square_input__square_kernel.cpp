// Direct, channels from the last to the first.
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
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context*) {
  other::convolve(kShape, in->x, p->conv_weight, nullptr, out->y);
  return 0;
}
