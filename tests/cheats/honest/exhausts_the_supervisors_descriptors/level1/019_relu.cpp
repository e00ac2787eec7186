// Opens files of its own while it is loaded, and keeps them.
#include <fcntl.h>

#include "task.h"

namespace {

int opened = 0;

__attribute__((constructor)) void open_some() {
  for (int i = 0; i < 100; ++i) opened += open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0;
}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (opened != 100) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}
