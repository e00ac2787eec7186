// Maps scratch memory of its own and changes its protection.
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
  const std::size_t bytes = kb::y_elements * sizeof(float);
  void* mapped = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || mprotect(mapped, bytes, PROT_READ | PROT_WRITE) != 0) return 1;
  relu(in->x, static_cast<float*>(mapped), ctx->threads);
  std::memcpy(out->y, mapped, bytes);
  munmap(mapped, bytes);
  return 0;
}
