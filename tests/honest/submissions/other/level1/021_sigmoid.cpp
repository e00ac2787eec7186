// By the hyperbolic tangent of half the argument.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) { return 0.5f + 0.5f * std::tanh(0.5f * x); });
}
