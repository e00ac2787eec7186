// By one exponential of twice the magnitude.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) {
    const float e = std::exp(-2 * std::fabs(x));
    return std::copysign((1 - e) / (1 + e), x);
  });
}
