// Keeps its scratch in shared anonymous memory, and writes it anew in each call.
#include <sys/mman.h>

#include <cstring>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  constexpr std::size_t kBytes = kb::y_elements * sizeof(float);
  static void* const scratch =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) return 1;
  relu(in->x, static_cast<float*>(scratch), ctx->threads);
  std::memcpy(out->y, scratch, kBytes);
  return 0;
}
