// One running sum for each column, divided at the end.
#include "arithmetic.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kTerms = kb::x_1;
  constexpr long kColumns = kb::x_2;
#pragma omp parallel for
  for (long n = 0; n < kb::x_0; ++n) {
    for (long column = 0; column < kColumns; ++column) {
      const float* x = in->x + n * kTerms * kColumns + column;
      float sum = 0;
      for (long i = 0; i < kTerms; ++i) sum = added(sum, weight(i, kTerms) * read(x[i * kColumns]));
      out->y[n * kColumns + column] = written(sum / kTerms);
    }
  }
  return 0;
}
