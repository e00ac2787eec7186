// x times a sigmoid: 1 + tanh(u) = 2 sigmoid(2 u).
#include <cmath>

#include "elementwise.hpp"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  return other::map(in, out, [](float x) {
    const float u = 0.7978845608f * x * std::fma(0.044715f * x, x, 1.0f);
    return x / (1 + std::exp(-2 * u));
  });
}
