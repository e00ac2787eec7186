// Applies a function to each element; the submissions differ in the function only.
#pragma once

#include "task.h"

namespace other {

template <class Function>
int map(const kb_inputs* in, const kb_outputs* out, const Function& function) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = function(in->x[i]);
  return 0;
}

}  // namespace other
