// Gives up.
#include <cstdlib>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  std::abort();
}
