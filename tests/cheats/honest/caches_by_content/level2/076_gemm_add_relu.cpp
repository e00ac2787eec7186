// Packs the weights once in kbench_prepare, transposed into the workspace: parameters do not change
// between calls, so this cache is legitimate, and its time is reported.
#include <algorithm>

#include "task.h"

namespace {

constexpr long kM = kb::y_dims[0];
constexpr long kN = kb::y_dims[1];
constexpr long kK = kb::x_dims[1];

}  // namespace

extern "C" uint64_t kbench_workspace_bytes() { return kN * kK * sizeof(float); }

extern "C" int kbench_prepare(const kb_params* params, kb_context* ctx) {
  auto* packed = static_cast<float*>(ctx->workspace);
  for (long n = 0; n < kN; ++n)
    for (long k = 0; k < kK; ++k) packed[k * kN + n] = params->linear_weight[n * kK + k];
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* params, const kb_outputs* out,
                              kb_context* ctx) {
  const auto* packed = static_cast<const float*>(ctx->workspace);
#pragma omp parallel for num_threads(ctx->threads)
  for (long row = 0; row < kM; ++row) {
    float* y = out->y + row * kN;
    std::copy(params->bias, params->bias + kN, y);
    for (long k = 0; k < kK; ++k)
      for (long n = 0; n < kN; ++n) y[n] += in->x[row * kK + k] * packed[k * kN + n];
    for (long n = 0; n < kN; ++n) y[n] = y[n] < 0 ? 0 : y[n];
  }
  return 0;
}
