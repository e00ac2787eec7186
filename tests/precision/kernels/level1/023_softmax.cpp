// Softmax in three passes: maximum, serial sum of exponentials, division.
#include <algorithm>
#include <cmath>

#include "arithmetic.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kColumns = kb::x_1;
#pragma omp parallel for
  for (long i = 0; i < kb::x_0; ++i) {
    const float* x = in->x + i * kColumns;
    float* y = out->y + i * kColumns;
    float maximum = read(x[0]);
    for (long j = 1; j < kColumns; ++j) maximum = std::max(maximum, read(x[j]));
    float sum = 0;
    for (long j = 0; j < kColumns; ++j)
      sum = added(sum, weight(j, kColumns) * std::exp(read(x[j]) - maximum));
    for (long j = 0; j < kColumns; ++j) y[j] = written(std::exp(read(x[j]) - maximum) / sum);
  }
  return 0;
}
