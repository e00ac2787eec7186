// By the complementary error function.
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) { return 0.5f * x * std::erfc(x * -0.70710678f); });
}
