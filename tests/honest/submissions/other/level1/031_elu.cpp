// By exp2 of a scaled argument.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) { return x > 0 ? x : std::exp2(x * 1.44269504f) - 1; });
}
