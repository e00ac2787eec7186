// Mean, then variance around it, each summed row by row: a plane has too many terms for one sum.
#include <cmath>

#include "arithmetic.hpp"
#include "task.h"

namespace {

constexpr long kRows = kb::x_2;
constexpr long kColumns = kb::x_3;

template <class Term>
float mean_of(const float* plane, Term term) {
  float sum = 0;
  for (long row = 0; row < kRows; ++row) {
    float row_sum = 0;
    for (long j = 0; j < kColumns; ++j)
      row_sum = added(row_sum, weight(j, kColumns) * term(read(plane[row * kColumns + j])));
    sum = added(sum, row_sum);
  }
  return sum / (kRows * kColumns);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr float kEps = 1e-5f;
#pragma omp parallel for
  for (long i = 0; i < kb::x_0 * kb::x_1; ++i) {
    const float* x = in->x + i * kRows * kColumns;
    float* y = out->y + i * kRows * kColumns;
    const float mean = mean_of(x, [](float value) { return value; });
    const float variance =
        mean_of(x, [mean](float value) { return (value - mean) * (value - mean); });
    const float deviation = std::sqrt(variance + kEps);
    for (long j = 0; j < kRows * kColumns; ++j) y[j] = written((read(x[j]) - mean) / deviation);
  }
  return 0;
}
