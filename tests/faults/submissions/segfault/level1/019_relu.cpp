// Writes where nothing is mapped.
#include "task.h"

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return 0;
}
