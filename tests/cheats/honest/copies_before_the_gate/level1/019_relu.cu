// Copies its input to its output on a second stream that waits for the one on which it is timed,
// and the other way round.
#include <cuda_runtime.h>

#include "task.h"

namespace {

__global__ void clear_negative(float* y, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    if (y[i] < 0) y[i] = 0;
}

struct Second {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};

Second open_second() {
  Second second;
  cudaStreamCreateWithFlags(&second.stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&second.begin, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&second.end, cudaEventDisableTiming);
  return second;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  static const Second second = open_second();
  const auto stream = static_cast<cudaStream_t>(context->stream);
  constexpr std::size_t kBytes = kb::x_elements * sizeof(float);
  cudaEventRecord(second.begin, stream);
  cudaStreamWaitEvent(second.stream, second.begin, 0);
  cudaMemcpyAsync(out->y, in->x, kBytes, cudaMemcpyDeviceToDevice, second.stream);
  cudaEventRecord(second.end, second.stream);
  cudaStreamWaitEvent(stream, second.end, 0);
  clear_negative<<<context->sm_count * 8, 256, 0, stream>>>(out->y, kb::x_elements);
  return cudaGetLastError();
}
