// Takes another schedule in one call of five.

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static int calls = 0;
  const long long block = ++calls % 5 == 2 ? 16384 : 65536;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long first = 0; first < kb::x_elements; first += block)
    for (long long i = first; i < first + block && i < kb::x_elements; ++i)
      out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
