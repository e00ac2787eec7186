// Prepares what does not depend on the input before the first call, and computes in the call.
#include <vector>

#include "task.h"

namespace {

std::vector<float> scale;

}  // namespace

extern "C" int kbench_prepare(const kb_params*, kb_context*) {
  scale.assign(kb::x_dims[1], 1.0f);
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long row = 0; row < kb::x_dims[0]; ++row)
    for (long long i = 0; i < kb::x_dims[1]; ++i) {
      const float x = in->x[row * kb::x_dims[1] + i];
      out->y[row * kb::x_dims[1] + i] = x < 0 ? 0 : scale[i] * x;
    }
  return 0;
}
