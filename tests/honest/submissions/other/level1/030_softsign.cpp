// By the reciprocal.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) { return x * (1 / (1 + std::fabs(x))); });
}
