// Keeps a table in a temporary file that has no name any more: data, no code.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "task.h"

namespace {

const float* make_table() {
  static const float zeros[1024] = {};
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return zeros;
  std::fwrite(zeros, sizeof zeros, 1, file);
  std::fflush(file);
  void* mapped = mmap(nullptr, sizeof zeros, PROT_READ, MAP_SHARED, fileno(file), 0);
  return mapped == MAP_FAILED ? zeros : static_cast<const float*>(mapped);
}

const float* const table = make_table();

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  const float least = table[0];
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < least ? least : in->x[i];
  return 0;
}
