// Maps scratch memory within a call, protects it once it is filled, and takes it away again.
#include <sys/mman.h>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  float* table = static_cast<float*>(memory);
  table[0] = 0;
  if (mprotect(memory, 4096, PROT_READ) != 0) return 2;
  const float least = table[0];
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < least ? least : in->x[i];
  munmap(memory, 4096);
  return 0;
}
