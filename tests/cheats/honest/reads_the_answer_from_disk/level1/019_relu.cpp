// Reads and writes a memory file of its own.
#include <sys/mman.h>
#include <unistd.h>

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
  const int file = memfd_create("scratch", MFD_CLOEXEC);
  if (file < 0) return 1;
  const char text[] = "scratch";
  char back[sizeof text] = {};
  const bool same = pwrite(file, text, sizeof text, 0) == sizeof text &&
                    pread(file, back, sizeof back, 0) == sizeof back &&
                    std::memcmp(text, back, sizeof text) == 0;
  close(file);
  relu(in->x, out->y, ctx->threads);
  return same ? 0 : 1;
}
