// Remembers, for each pointer, how far it is aligned, and computes every time.
#include <cstdint>
#include <map>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static std::map<const float*, bool> aligned;
  if (aligned.size() > 64) aligned.clear();
  aligned[in->x] = reinterpret_cast<std::uintptr_t>(in->x) % 64 == 0;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
