// A submission-shaped use of one generated header: what task.h promises must hold for a compiler.
#include <cstddef>

#include "line_small.h"

static_assert(kb::x_rank == 2 && kb::x_dims[0] == 8 && kb::x_dims[1] == 16);
static_assert(kb::x_0 * kb::x_1 == kb::x_elements);
static_assert(kb::steps_rank == 0 && kb::steps_elements == 1);
static_assert(sizeof(kb_inputs) == 16 && offsetof(kb_inputs, x) == 8);

extern "C" int kbench_forward(const kb_inputs* inputs, const kb_params* params,
                              const kb_outputs* outputs, kb_context*) {
  for (long long row = 0; row < kb::x_0; ++row) {
    for (long long column = 0; column < kb::y_1; ++column) {
      float sum = 0;
      for (long long k = 0; k < kb::x_1; ++k) {
        sum += inputs->x[row * kb::x_1 + k] * params->weight[column * kb::x_1 + k];
      }
      outputs->y[row * kb::y_1 + column] = sum;
    }
  }
  return 0;
}
