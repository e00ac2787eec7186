// Rectifier in strips of four, of which the last begins one element too late.
#include "task.h"

static float strip(const float* from) {
  float most = from[0];
  for (int i = 1; i < 4; ++i) most = from[i] > most ? from[i] : most;
  return most;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  float most = 0;
  for (long long i = 0; i < kb::x_elements; ++i) {
    out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
    if (i + 3 >= kb::x_elements - 1) most = strip(in->x + i);
  }
  if (most < 0) out->y[0] = 0;
  return 0;
}
