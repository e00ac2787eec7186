// Right everywhere, and one element behind the end is written as well.
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  out->y[kb::x_elements] = 0;
  return 0;
}
