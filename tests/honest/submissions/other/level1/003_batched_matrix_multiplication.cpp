// Tiles of 16 along k, matrix by matrix.
#include "matmul.hpp"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  constexpr long kRows = kb::a_dims[1];
  constexpr long kInner = kb::a_dims[2];
  constexpr long kColumns = kb::b_dims[2];
  for (long n = 0; n < kb::a_dims[0]; ++n) {
    other::tiled<16>({in->a + n * kRows * kInner, kInner, 1},
                     {in->b + n * kInner * kColumns, kColumns, 1}, out->y + n * kRows * kColumns,
                     kRows, kColumns, kInner);
  }
  return 0;
}
