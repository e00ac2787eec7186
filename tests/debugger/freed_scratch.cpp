// Softmax that keeps the address of a row's scratch when the scratch grows.
#include <cmath>
#include <vector>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  std::vector<float> scratch(16);
  float* row = scratch.data();
  scratch.resize(kb::x_1);
  for (long long r = 0; r < kb::x_0; ++r) {
    const float* x = in->x + r * kb::x_1;
    float most = x[0];
    float sum = 0;
    for (long long i = 0; i < kb::x_1; ++i) most = std::fmax(most, x[i]);
    for (long long i = 0; i < kb::x_1; ++i) {
      float& at = i < 16 ? row[i] : scratch[i];
      at = std::exp(x[i] - most);
      sum += at;
    }
    for (long long i = 0; i < kb::x_1; ++i)
      out->y[r * kb::x_1 + i] = (i < 16 ? row[i] : scratch[i]) / sum;
  }
  return 0;
}
