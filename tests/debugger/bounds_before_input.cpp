// Rectifier that looks at the left neighbour of the first element as well.
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  long long falls = 0;
  for (long long i = 0; i < kb::x_elements; ++i) {
    falls += in->x[i] < in->x[i - 1];
    out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  }
  return falls < 0;
}
