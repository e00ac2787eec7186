// Rectifier with a generator of unsigned numbers, which wrap around by rule, and wide steps.
#include <cstring>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  typedef float Eight __attribute__((vector_size(32), aligned(4)));
  uint32_t state = 1;
  long long i = 0;
  for (; i + 8 <= kb::x_elements; i += 8) {
    state = state * 1103515245u + 12345u;
    Eight values;
    std::memcpy(&values, in->x + i, sizeof values);
    values = values < 0 ? Eight{} : values;
    std::memcpy(out->y + i, &values, sizeof values);
  }
  for (; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return state == 7;
}
