// Calls a function that nobody defines.
#include "task.h"

int defined_nowhere(int);

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  return defined_nowhere(1);
}
