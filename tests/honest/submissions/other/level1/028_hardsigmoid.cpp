// Clamped after one fused multiply-add.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) {
    return std::fmin(std::fmax(std::fma(x, 1.0f / 6, 0.5f), 0.0f), 1.0f);
  });
}
