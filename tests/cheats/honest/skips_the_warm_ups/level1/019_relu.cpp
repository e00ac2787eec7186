// Its own tables are built in the first call, which takes longer; no call is left out.
#include <vector>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const std::vector<float> warmed(1 << 16, 0.0F);
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i)
    out->y[i] = in->x[i] < warmed[static_cast<unsigned long>(i) & 0xFFFF] ? 0 : in->x[i];
  return 0;
}
