// Transposes one factor in its workspace and writes in row-major order.
#include "task.h"

namespace {

constexpr long kN = kb::y_dims[1];
constexpr long kK = kb::a_dims[1];

}  // namespace

extern "C" uint64_t kbench_workspace_bytes() { return kN * kK * sizeof(float); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  auto* columns = static_cast<float*>(ctx->workspace);
#pragma omp parallel for num_threads(ctx->threads)
  for (long n = 0; n < kN; ++n)
    for (long k = 0; k < kK; ++k) columns[n * kK + k] = in->b[k * kN + n];
#pragma omp parallel for num_threads(ctx->threads)
  for (long row = 0; row < kb::y_dims[0]; ++row)
    for (long n = 0; n < kN; ++n) {
      float sum = 0;
      const float* a = in->a + row * kK;
      const float* b = columns + n * kK;
#pragma omp simd reduction(+ : sum)
      for (long k = 0; k < kK; ++k) sum += a[k] * b[k];
      out->y[row * kN + n] = sum;
    }
  return 0;
}
