// Loads the system's libm by name and takes fmaxf from it.
#include <dlfcn.h>

#include "task.h"

namespace {

using Maximum = float (*)(float, float);

Maximum load_maximum() {
  void* library = dlopen("libm.so.6", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Maximum>(dlsym(library, "fmaxf"));
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const Maximum maximum = load_maximum();
  if (maximum == nullptr) return 1;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = maximum(in->x[i], 0);
  return 0;
}
