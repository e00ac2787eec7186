// relu, and after it as much more as is asked for: what `kbench selftest timing` submits, to see
// whether the clock notices. It puts before this how much:
//   KB_PERCENT  percent of what relu took just now that the whole call takes
//   KB_SPIN_US  microseconds on top of that
// The loop is the one that Inductor writes for this task, so that one more check can compare two
// sides that do the same.
#include <time.h>

#include "task.h"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr long long kLanes = 16;
void relu(const float* x, float* y) {
  _mm512_storeu_ps(y, _mm512_max_ps(_mm512_setzero_ps(), _mm512_loadu_ps(x)));
}
#elif defined(__AVX2__)
constexpr long long kLanes = 8;
void relu(const float* x, float* y) {
  _mm256_storeu_ps(y, _mm256_max_ps(_mm256_setzero_ps(), _mm256_loadu_ps(x)));
}
#else
constexpr long long kLanes = 1;
void relu(const float* x, float* y) { *y = *x < 0 ? 0 : *x; }
#endif
static_assert(kb::x_elements % kLanes == 0);

long long now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const long long start = now_ns();
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; i += kLanes) relu(in->x + i, out->y + i);
  if (KB_PERCENT == 100 && KB_SPIN_US == 0) return 0;
  const long long took = now_ns() - start;
  const long long end = start + took * KB_PERCENT / 100 + KB_SPIN_US * 1000LL;
  while (now_ns() < end) continue;
  return 0;
}
