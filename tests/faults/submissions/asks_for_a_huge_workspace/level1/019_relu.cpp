// Wants four exbibytes of workspace.
#include "task.h"

extern "C" uint64_t kbench_workspace_bytes() { return uint64_t{1} << 62; }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] > 0 ? in->x[i] : 0;
  return 0;
}
