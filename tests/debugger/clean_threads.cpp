// Product of matrices by rows, in threads.
#include <vector>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
#pragma omp parallel for num_threads(context->threads)
  for (long long i = 0; i < kb::a_0; ++i) {
    std::vector<float> row(kb::b_1);
    for (long long k = 0; k < kb::a_1; ++k)
      for (long long j = 0; j < kb::b_1; ++j)
        row[j] += in->a[i * kb::a_1 + k] * in->b[k * kb::b_1 + j];
    for (long long j = 0; j < kb::b_1; ++j) out->y[i * kb::b_1 + j] = row[j];
  }
  return 0;
}
