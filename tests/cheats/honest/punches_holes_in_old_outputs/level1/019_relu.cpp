// Works in slabs through shared memory of its own, whose pages it gives back when the call ends.
#include <sys/mman.h>

#include "task.h"

namespace {

constexpr long long kSlab = 1 << 12;
static_assert(kb::x_elements % kSlab == 0);

float* scratch() {
  static void* const mapped = mmap(nullptr, kSlab * sizeof(float), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<float*>(mapped);
}

void relu(const float* x, float* slab, float* y, int threads) {
#pragma omp parallel num_threads(threads)
  for (long long first = 0; first < kb::x_elements; first += kSlab) {
#pragma omp for schedule(static)
    for (long long i = 0; i < kSlab; ++i) slab[i] = x[first + i] < 0 ? 0 : x[first + i];
#pragma omp for schedule(static)
    for (long long i = 0; i < kSlab; ++i) y[first + i] = slab[i];
  }
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  float* slab = scratch();
  if (slab == nullptr) return 1;
  relu(in->x, slab, out->y, ctx->threads);
  madvise(slab, kSlab * sizeof(float), MADV_REMOVE);  // a refusal only keeps the pages
  return 0;
}
