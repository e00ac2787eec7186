// Takes memory from the heap at each call, fills it, copies the result out and frees it.
#include <cstdlib>
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
  auto* scratch = static_cast<float*>(std::malloc(kb::y_elements * sizeof(float)));
  if (scratch == nullptr) return 1;
  relu(in->x, scratch, ctx->threads);
  std::memcpy(out->y, scratch, kb::y_elements * sizeof(float));
  std::free(scratch);
  return 0;
}
