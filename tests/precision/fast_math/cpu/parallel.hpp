// One call of `body` for each index, on all cores.
#pragma once

#include "task.h"

#define ANYWHERE

template <class Body>
int for_each(long count, Body body, kb_context*) {
#pragma omp parallel for
  for (long i = 0; i < count; ++i) body(i);
  return 0;
}
