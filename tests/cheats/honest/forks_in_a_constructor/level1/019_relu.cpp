// Its constructor starts the threads that the calls will use, and joins them.
#include <thread>

#include "task.h"

namespace {

int started = 0;

__attribute__((constructor)) void start() {
  std::thread([] { started = 1; }).join();
}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (started != 1) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
