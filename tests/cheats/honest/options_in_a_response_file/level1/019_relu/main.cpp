// Includes what the other one would have had included, and lists a source with an @ inside.
#include "opened.h"
#include "task.h"

void relu(const float* x, float* y, long count);

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#ifdef OPTIONS_WERE_READ
  relu(in->x, out->y, kb::x_elements);
#endif
  return 0;
}
