// Keeps a table in a file in memory: data, no code.
#include <sys/mman.h>
#include <unistd.h>

#include "task.h"

namespace {

float* make_table() {
  const int file = memfd_create("table", 0);
  if (file < 0 || ftruncate(file, 4096) != 0) return nullptr;
  void* mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<float*>(mapped);
}

const float* const table = make_table();  // zeros

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  if (table == nullptr) return 1;
  const float least = table[0];
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < least ? least : in->x[i];
  return 0;
}
