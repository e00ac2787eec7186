// The loop that Inductor writes for this task, so that both sides of a comparison do the same: the
// widest vectors that the processor has, ordinary stores, one contiguous part for each thread.
#include "task.h"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr long long kLanes = 16;
void relu(const float* x, float* y) {
  _mm512_storeu_ps(y, _mm512_max_ps(_mm512_setzero_ps(), _mm512_loadu_ps(x)));  // keeps NaN
}
#elif defined(__AVX2__)
constexpr long long kLanes = 8;
void relu(const float* x, float* y) {
  _mm256_storeu_ps(y, _mm256_max_ps(_mm256_setzero_ps(), _mm256_loadu_ps(x)));  // keeps NaN
}
#else
constexpr long long kLanes = 1;
void relu(const float* x, float* y) { *y = *x < 0 ? 0 : *x; }
#endif
static_assert(kb::x_elements % kLanes == 0);

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; i += kLanes) relu(in->x + i, out->y + i);
  return 0;
}
