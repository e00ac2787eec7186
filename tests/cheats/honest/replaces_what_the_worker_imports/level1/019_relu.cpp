// Counts the libraries of its process, and replaces nothing.
#include <link.h>

#include <cstddef>

#include "task.h"

namespace {

int count(dl_phdr_info*, std::size_t, void* libraries) {
  ++*static_cast<int*>(libraries);
  return 0;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  int libraries = 0;
  dl_iterate_phdr(count, &libraries);
  if (libraries == 0) return 1;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
