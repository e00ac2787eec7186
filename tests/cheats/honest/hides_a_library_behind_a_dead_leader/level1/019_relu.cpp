// Loads a harmless library of the system in its first call, and lets another thread do the work.
#include <dlfcn.h>

#include <thread>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  static void* const library = dlopen("libm.so.6", RTLD_NOW);
  if (library == nullptr) return 1;
  std::thread([&] {
    for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  }).join();
  return 0;
}
