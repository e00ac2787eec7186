// Writes to its own memory at run time, a table that it reads by the sign of a number.
#include <sys/mman.h>

#include <bit>
#include <cstdint>

#include "task.h"

namespace {

// {1, 0}: what a number is multiplied with, by its sign bit.
const float* make_table() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  auto* table = static_cast<float*>(page);
  table[0] = 1;
  return mprotect(page, 4096, PROT_READ) == 0 ? table : nullptr;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const float* const table = make_table();
  if (table == nullptr) return 1;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i)
    out->y[i] = in->x[i] * table[std::bit_cast<std::uint32_t>(in->x[i]) >> 31];
  return 0;
}
