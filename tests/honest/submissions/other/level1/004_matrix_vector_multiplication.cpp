// Blocks of 1024 with eight running sums each; the blocks are added from the last to the first.
#include "matmul.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kInner = kb::a_dims[1];
  constexpr long kBlock = 1024;
  static_assert(kInner % kBlock == 0);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < kb::a_dims[0]; ++i) {
    float sum = 0;
    for (long begin = kInner - kBlock; begin >= 0; begin -= kBlock)
      sum += other::dot(in->a + i * kInner + begin, in->x + begin, kBlock);
    out->y[i] = sum;
  }
  return 0;
}
