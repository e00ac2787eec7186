// The triple loop, a row of B at a time.
#include <vector>

#include "arithmetic.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kN = kb::a_1;
#pragma omp parallel for
  for (long i = 0; i < kb::a_0; ++i) {
    std::vector<float> sums(kN, 0.0f);
    for (long k = 0; k < kN; ++k) {
      const float a = weight(k, kN) * read(in->a[i * kN + k]);
      for (long j = 0; j < kN; ++j) sums[j] = added(sums[j], a * read(in->b[k * kN + j]));
    }
    for (long j = 0; j < kN; ++j) out->y[i * kN + j] = written(sums[j]);
  }
  return 0;
}
