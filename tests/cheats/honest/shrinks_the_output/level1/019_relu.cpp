// Makes a file of its own larger and smaller.
#include <sys/mman.h>
#include <unistd.h>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const int file = memfd_create("own", MFD_CLOEXEC);
  const bool changed = file >= 0 && ftruncate(file, 1 << 20) == 0 && ftruncate(file, 0) == 0;
  if (file >= 0) close(file);
  relu(in->x, out->y, ctx->threads);
  return changed ? 0 : 1;
}
