// Its constructor writes to standard error that it is there, as libraries do, and nobody minds.
#include <unistd.h>

#include <string>

#include "task.h"

namespace {

__attribute__((constructor)) void announce() {
  const std::string text = "a submission is loading\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const float* x = in->x;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = x[i] < 0 ? 0 : x[i];
  return 0;
}
