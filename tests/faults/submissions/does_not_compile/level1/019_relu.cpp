// A type error.
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  out->y = "not a tensor of " + in->x;
  return 0;
}
