// One call of `body` for each index, a thread each.
#pragma once

#include <cuda_runtime.h>

#include "task.h"

#define ANYWHERE __device__

template <class Body>
__global__ void run(long count, Body body) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) body(i);
}

template <class Body>
int for_each(long count, Body body, kb_context* context) {
  constexpr unsigned kThreads = 256;
  const unsigned blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  run<<<blocks, kThreads, 0, static_cast<cudaStream_t>(context->stream)>>>(count, body);
  return static_cast<int>(cudaGetLastError());
}
