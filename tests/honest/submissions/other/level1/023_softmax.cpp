// Online softmax, one element at a time.
#include <cmath>
#include <limits>

#include "task.h"

namespace {

constexpr long kRows = kb::x_dims[0];
constexpr long kColumns = kb::x_dims[1];

struct Online {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0;
};

// Maximum and sum of exponentials in one pass: the sum is rescaled whenever the maximum grows
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
Online normalizer(const float* x) {
  Online online;
  for (long j = 0; j < kColumns; ++j) {
    if (x[j] > online.maximum) {
      online.sum *= std::exp(online.maximum - x[j]);
      online.maximum = x[j];
    }
    online.sum += std::exp(x[j] - online.maximum);
  }
  return online;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < kRows; ++i) {
    const float* x = in->x + i * kColumns;
    const Online online = normalizer(x);
    for (long j = 0; j < kColumns; ++j)
      out->y[i * kColumns + j] = std::exp(x[j] - online.maximum) / online.sum;
  }
  return 0;
}
