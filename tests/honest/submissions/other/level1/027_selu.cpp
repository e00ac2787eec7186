// exp(x) - 1 as a difference, which loses digits near zero.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) {
    const float negative = 1.7580993f * (std::exp(std::fmin(x, 0.0f)) - 1);
    return x > 0 ? 1.050701f * x : negative;
  });
}
